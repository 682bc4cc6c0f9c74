import { type Command, Option } from 'commander'
import { rememberPeriod } from '../assure/alarms/alarm-facts.ts'
import type { StreamResult } from '../extract/index.ts'
import { act, pipelineOptions } from './action.ts'
import { exitCodeOfResults } from './exit-code.ts'
import { durationMs, wholeNumber } from './numbers.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { resultToJson } from './render/result.ts'
import { run, showResults, type Working, withPipeline } from './run-streams.ts'
import type { Terminal } from './terminal.ts'

interface FollowOptions extends PipelineOptions {
  readonly every: number
  readonly concurrency: number
}

/** `plimsoll follow`: runs again and again until it is stopped. Failures are shown and tried again. */
export function registerFollow(program: Command): void {
  const command = pipelineOptions(program.command('follow [table...]'))
    .description('copy what changed, again and again, until stopped')
    .addOption(
      new Option('--every <duration>', 'from one start to the next')
        .argParser(durationMs)
        .default(10_000, '10s'),
    )
    .option('--concurrency <n>', 'tables at once', wholeNumber, 4)
  act<FollowOptions>(command, async (terminal, options, tables) => {
    const config = await findPipeline(options)
    const work = async (working: Working) => {
      const streams = selectStreams(working.streams, tables)
      await sayPeriod(working, streams, options.every)
      try {
        return await follow(terminal, working, streams, options)
      } finally {
        await sayPeriod(working, streams, undefined)
      }
    }
    return withPipeline(terminal, config, work, true)
  })
}

/** While it follows, a run is due every so often; stopped, none is (spec A59). */
async function sayPeriod(
  { engine }: Working,
  streams: Working['streams'],
  everyMs: number | undefined,
): Promise<void> {
  for (const { catalogKey } of streams) await rememberPeriod(engine.catalog, catalogKey, everyMs)
}

async function follow(
  terminal: Terminal,
  working: Working,
  streams: Working['streams'],
  { every, concurrency }: FollowOptions,
) {
  const { engine, signal } = working
  const shown = new Map<string, string>()
  let latest: readonly StreamResult[] = []
  let cycles = 0
  while (!signal.aborted) {
    const startedMs = engine.clock.nowMs()
    latest = await run(working, streams, concurrency)
    cycles++
    const news = latest.filter((result) => isNews(result, shown))
    showResults(terminal, news, 'the next round')
    if (cycles === 1 && latest.length > 0 && latest.every((result) => result.error?.kind === 'usage')) break
    await engine.clock.sleep(Math.max(0, every - (engine.clock.nowMs() - startedMs)))
  }
  const json = { cycles, results: latest.map(resultToJson) }
  return { json, exitCode: exitCodeOfResults(latest) }
}

/** Rows, or another state than the last one shown: an idle pipeline keeps quiet. */
function isNews(result: StreamResult, shown: Map<string, string>): boolean {
  const { counts, outcome, error, heldBecause } = result
  const state = [error?.code ?? outcome, error?.message ?? '', heldBecause === undefined ? '' : 'held'].join(
    ' ',
  )
  const changed = shown.get(result.stream) !== state
  shown.set(result.stream, state)
  return changed || counts.inserted + counts.updated > 0
}
