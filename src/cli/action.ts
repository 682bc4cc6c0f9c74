import { type Command, Option } from 'commander'
import { secretsOf } from '../config/connection-url.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { exitCodeOf } from './exit-code.ts'
import { errorToJson, renderError } from './render/error.ts'
import { createTerminal, type OutputOptions, type Terminal } from './terminal.ts'

/** What a command answers: the fields of the one JSON object, and an exit code other than 0. */
export interface Answer {
  readonly json: Readonly<Record<string, unknown>>
  readonly exitCode?: number
}

/**
 * Gives a command its output options and runs its work: an answer or a failure becomes output and the exit code. The work
 * gets the terminal, the options and the arguments.
 */
export function act<Options>(
  command: Command,
  work: (terminal: Terminal, options: Options, args: readonly string[]) => Promise<Answer>,
): Command {
  addOutputOptions(command)
  return command.action(async (...given: unknown[]) => {
    const args = given
      .slice(0, -2)
      .flat()
      .filter((arg): arg is string => typeof arg === 'string')
    const options = command.optsWithGlobals() as Options & OutputOptions
    const terminal = createTerminal(options)
    process.exitCode = await finish(terminal, command.name(), () => work(terminal, options, args))
  })
}

async function finish(terminal: Terminal, name: string, work: () => Promise<Answer>): Promise<number> {
  try {
    const { json, exitCode = 0 } = await work()
    terminal.final({ ok: exitCode === 0, command: name, ...json })
    return exitCode
  } catch (error) {
    report(terminal, name, error)
    return exitCodeOf(error)
  }
}

/** A failure for people, and as the one object. */
export function report(terminal: Terminal, name: string | undefined, error: unknown): void {
  terminal.complain(renderError(error, terminal.colour))
  terminal.final({ ok: false, ...(name === undefined ? {} : { command: name }), error: errorToJson(error) })
}

function addOutputOptions(command: Command): void {
  command.option('--json', 'one JSON object on stdout').option('--quiet', 'no words on stderr but errors')
}

/** Options of the commands that work on a pipeline. */
export function pipelineOptions(command: Command): Command {
  return command
    .option('--config <file>', 'the configuration (default: plimsoll.yaml)')
    .option('--state <folder>', 'the catalog (default: .plimsoll beside the configuration)')
    .option('--pipeline <name>', 'one of several earlier copies')
    .addOption(new Option('--source <url>', 'the source of an earlier copy, when its password is needed'))
    .addOption(
      new Option('--destination <url>', 'the destination of an earlier copy, when its password is needed'),
    )
}

/** No output may hold the passwords of these pipelines. */
export function hideSecrets(terminal: Terminal, configs: readonly PipelineConfig[]): void {
  for (const { source, destination } of configs) {
    for (const url of [source.url, source.replicaUrl, destination.url])
      if (url !== undefined) terminal.hide(secretsOf(url))
  }
}

/** Collects an option that may be given several times. */
export const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
]
