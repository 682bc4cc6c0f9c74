import type { Engine } from './engine.ts'
import type { StreamResult } from './results.ts'
import { runStream } from './run-stream.ts'
import type { StreamSettings } from './settings.ts'

export interface PipelineResult {
  /** In the order of the streams asked for. */
  readonly results: readonly StreamResult[]
}

/** Runs streams side by side; they share nothing but the source's samples, so one that fails stops no other (spec E64). */
export async function runPipeline(
  engine: Engine,
  streams: readonly StreamSettings[],
  concurrency: number,
): Promise<PipelineResult> {
  const results: StreamResult[] = new Array(streams.length)
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < streams.length && !engine.signal?.aborted) {
      const index = next++
      results[index] = await runStream(engine, streams[index]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, streams.length) }, worker))
  return { results: results.filter((result) => result !== undefined) }
}
