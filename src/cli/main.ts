import { type Command, CommanderError } from 'commander'
import { PlimsollError } from '../kernel/errors.ts'
import { report } from './action.ts'
import { exitCodeOf } from './exit-code.ts'
import { createProgram } from './program.ts'
import { createTerminal } from './terminal.ts'

/** A reader that went away (`plimsoll runs | head`) is no failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const program = createProgram()
try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = explainUsage(error)
}
await drained()
process.exit()

/** What commander threw: help and version were printed already; anything else is a fault of usage. */
function explainUsage(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  if (process.argv.length <= 2) {
    process.stderr.write(program.helpInformation())
    return 2
  }
  const terminal = createTerminal({ json: process.argv.includes('--json') })
  const fault = error instanceof CommanderError ? usageError(error) : error
  report(terminal, undefined, fault)
  return exitCodeOf(fault)
}

function usageError(error: CommanderError): PlimsollError {
  if (error.code === 'commander.help') return withoutCommand()
  const [text = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const suggestion = rest.join(' ').replaceAll(/[()]/g, '').trim()
  const path = typedCommand().map((command) => ` ${command.name()}`)
  const help =
    path.length > 0 ? `plimsoll${path.join('')} --help explains it.` : 'plimsoll help lists the commands.'
  const hint = suggestion === '' ? help : suggestion
  return new PlimsollError('USAGE', text, { hint })
}

/** A group without its command, or help about a command that there is none of. */
function withoutCommand(): PlimsollError {
  const [, , first, about] = process.argv
  const group = typedCommand().at(-1) ?? program
  const unknown = first === 'help' ? about : undefined
  const problem = unknown === undefined ? 'name a command' : `unknown command '${unknown}'`
  const names = group.commands.map((command) => command.name()).join(', ')
  return new PlimsollError('USAGE', problem, { hint: `There are: ${names}.` })
}

/** The commands that were typed, a group before its command. */
function typedCommand(): readonly Command[] {
  const path: Command[] = []
  for (const word of process.argv.slice(2)) {
    const next = (path.at(-1) ?? program).commands.find((command) => command.name() === word)
    if (!next) break
    path.push(next)
  }
  return path
}

/** What was written has left the process before it ends: a pipe may take it in turns. */
async function drained(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  )
}
