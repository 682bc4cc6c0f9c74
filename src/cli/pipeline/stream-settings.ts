import { schemeOf } from '../../config/connection-url.ts'
import type { PipelineConfig, TableConfig } from '../../config/pipeline-config.ts'
import { formatTableName } from '../../config/table-name.ts'
import { DEFAULT_FENCE, DEFAULT_LIMITS, type StreamSettings } from '../../extract/index.ts'
import type { TableRef } from '../../sources/source.ts'

/** One table of the configuration as the engine wants it, with every default filled in (spec section 15). */
export function toStreamSettings(config: PipelineConfig, table: TableConfig): StreamSettings {
  const schema = defaultSchema(config.source.url)
  const source: TableRef = { schema: table.table.schema ?? schema, name: table.table.name }
  const target: TableRef = table.as
    ? { schema: table.as.schema ?? source.schema, name: table.as.name }
    : source
  const stream = formatTableName(target)
  const limits = { ...DEFAULT_LIMITS, ...table.limits }
  return {
    stream,
    catalogKey: `${config.name}/${stream}`,
    table: source,
    target,
    mode: table.mode ?? 'upsert',
    key: table.key,
    position: table.position,
    nullKeys: table.nullKeys ?? 'refuse',
    appendOnly: table.appendOnly,
    accept: table.accept,
    asText: table.asText,
    overlap: table.overlap,
    peek: table.peek,
    fence: {
      ...DEFAULT_FENCE,
      ...table.fence.durationsMs,
      method: table.fence.method ?? DEFAULT_FENCE.method,
      excludeRoles: table.fence.excludeRoles,
      appendOnly: table.appendOnly,
    } as StreamSettings['fence'],
    limits,
    deletes: table.deletes ?? 'report',
    autoRepair: table.autoRepair,
    onDestinationWentBack: table.onDestinationWentBack ?? 'stop',
    onTimelineChange:
      table.onTimelineChange === 'rewind'
        ? { rewindUs: BigInt(limits.failoverOverlapMs) * 1000n }
        : (table.onTimelineChange ?? 'stop'),
  }
}

/** The schema of a table that was named without one. */
function defaultSchema(sourceUrl: string): string {
  return schemeOf(sourceUrl)?.startsWith('sqlite') ? 'main' : 'public'
}
