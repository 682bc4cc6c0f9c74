import { watchStreams } from '../../assure/alarms/watch-streams.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import { describeError } from '../../extract/alarms.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { newRunId } from '../engine.ts'
import { toStreamSettings } from './stream-settings.ts'

/**
 * A source or destination that cannot even be opened fails every stream of the pipeline before a run of it begins: that
 * stands in the chain of each that has run before, or nobody would see it failing (spec A59).
 */
export async function recordUnopened(
  catalog: Catalog,
  config: PipelineConfig,
  error: unknown,
): Promise<void> {
  if (!(error instanceof PlimsollError) || (error.kind !== 'source' && error.kind !== 'destination')) return
  const streams = config.tables.map((table) => toStreamSettings(config, table))
  for (const { stream, catalogKey } of streams) {
    if ((await catalog.memory(catalogKey, 'stream')) === undefined) continue
    const nowUs = String(catalog.nowUs())
    await catalog.appendRecord(catalogKey, {
      run_id: newRunId(),
      stream,
      kind: 'run',
      outcome: 'failed',
      opened_us: nowUs,
      closed_us: nowUs,
      error: describeError(error),
    })
  }
  await watchStreams(catalog, streams)
}
