import { watchStreams } from '../assure/alarms/watch-streams.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { runPipeline, type StreamResult, type StreamSettings } from '../extract/index.ts'
import { type Answer, hideSecrets } from './action.ts'
import { type OpenPipeline, openPipeline } from './engine.ts'
import { exitCodeOfResults } from './exit-code.ts'
import { openCatalogIn } from './pipeline/catalog.ts'
import { recordUnopened } from './pipeline/record-unopened.ts'
import { watchSignals } from './pipeline/signals.ts'
import { createProgress, type Progress } from './render/progress.ts'
import { renderResult, resultToJson } from './render/result.ts'
import type { Terminal } from './terminal.ts'

export interface Working extends OpenPipeline {
  readonly progress: Progress
  readonly signal: AbortSignal
}

/**
 * Opens catalog and pipeline, shows progress, and closes everything whatever happens. A signal ends the work cleanly; the
 * exit code is then the signal's. `isRun`: that it could not be opened counts as a failed run of every stream.
 */
export async function withPipeline(
  terminal: Terminal,
  config: PipelineConfig,
  work: (working: Working) => Promise<Answer>,
  isRun = false,
): Promise<Answer> {
  hideSecrets(terminal, [config])
  const stopping = watchSignals((text) => terminal.say(text))
  const catalog = await openCatalogIn(config.stateFolder)
  const progress = createProgress(terminal)
  try {
    const options = { emit: progress.emit, note: terminal.say, signal: stopping.signal }
    const open = await openPipeline(config, catalog, options).catch(async (error: unknown) => {
      if (isRun) await recordUnopened(catalog, config, error)
      throw error
    })
    try {
      const answer = await work({ ...open, progress, signal: stopping.signal })
      const exitCode = stopping.exitCode()
      if (exitCode === undefined) return answer
      return { json: { ok: (answer.exitCode ?? 0) === 0, stopped: true, ...answer.json }, exitCode }
    } finally {
      await open.close()
    }
  } finally {
    progress.end()
    await catalog.close()
    stopping.dispose()
  }
}

/** Runs streams once and shows one screen a table. `again` is the command that goes on. */
export async function runOnce(
  terminal: Terminal,
  working: Working,
  streams: readonly StreamSettings[],
  concurrency: number,
  again: string,
): Promise<Answer> {
  const results = await run(working, streams, concurrency)
  showResults(terminal, results, again)
  return resultsAnswer(results)
}

export async function run(
  { engine, progress }: Working,
  streams: readonly StreamSettings[],
  concurrency: number,
): Promise<readonly StreamResult[]> {
  const { results } = await runPipeline(engine, streams, concurrency)
  await watchStreams(engine.catalog, streams)
  progress.pause()
  return results
}

/** `again` is the command that goes on, where there is one. */
export function showResults(
  terminal: Terminal,
  results: readonly StreamResult[],
  again: string | undefined,
): void {
  for (const result of results) {
    if (result.error && terminal.quiet) terminal.complain(renderResult(result, terminal.colour, again))
    else terminal.say(renderResult(result, terminal.colour, again))
  }
}

export function resultsAnswer(results: readonly StreamResult[]): Answer {
  return { json: { results: results.map(resultToJson) }, exitCode: exitCodeOfResults(results) }
}
