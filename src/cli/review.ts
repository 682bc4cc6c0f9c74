import { getHeapStatistics } from 'node:v8'
import type { Command } from 'commander'
import { reviewStreams } from '../assure/review/review-streams.ts'
import { schemeOf } from '../config/connection-url.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import type { ConnectorContext } from '../sources/source.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { openSource } from './engine.ts'
import { reviewExitCode } from './exit-code.ts'
import { wholeNumber } from './numbers.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { renderNotLooked } from './render/audit.ts'
import { renderReview, reviewToJson } from './render/review.ts'

interface ReviewOptions extends PipelineOptions {
  readonly multiplier: number
  readonly concurrency: number
}

/** `plimsoll review`: what breaks at ten times the write rate, from live figures; no load is made. */
export function registerReview(program: Command): void {
  const command = pipelineOptions(program.command('review [table...]'))
    .description('show what breaks at a multiple of the busiest minute')
    .option('--multiplier <n>', 'how many times the busiest minute', wholeNumber, 10)
    .option('--concurrency <n>', 'tables at once, as in run', wholeNumber, 4)
  act<ReviewOptions>(command, async (terminal, options, tables) => {
    const config = await findPipeline(options)
    hideSecrets(terminal, [config])
    const streams = config.tables.map((table) => toStreamSettings(config, table))
    const catalog = await openCatalogToLook(config.stateFolder)
    try {
      const source = await openSource(config, () => forgetful)
      try {
        const means = {
          source,
          catalog,
          mergesByIndex: mergesByIndex(config),
          concurrency: options.concurrency,
          memoryLimitBytes: getHeapStatistics().heap_size_limit,
        }
        const chosen = selectStreams(streams, tables)
        const answer = await reviewStreams(means, chosen, options.multiplier, (review) =>
          terminal.data(`${renderReview(review, catalog.nowUs(), terminal.colour)}\n`),
        )
        for (const each of answer.notLooked) terminal.data(renderNotLooked(each, terminal.colour))
        return { json: reviewToJson(answer, options.multiplier), exitCode: reviewExitCode(answer) }
      } finally {
        await source.close()
      }
    } finally {
      await catalog.close()
    }
  })
}

/** What a review learns of the source it keeps itself; the connector remembers nothing. */
const forgetful: ConnectorContext = {
  reach: () => {},
  memory: { load: async () => undefined, save: async () => {} },
  note: () => {},
}

/** PostgreSQL finds rows to merge by the key's index; DuckDB looks through the target (load-forecast L20). */
const mergesByIndex = ({ destination }: PipelineConfig): boolean =>
  schemeOf(destination.url)?.startsWith('postgres') ?? false
