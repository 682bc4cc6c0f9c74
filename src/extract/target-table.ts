import type { TargetTable } from '../destinations/destination.ts'
import type { TableShape } from '../sources/source.ts'
import type { Choice } from './choose.ts'
import type { StreamSettings } from './settings.ts'

/** The table at the destination as settings, source and choice make it. */
export function targetTable(settings: StreamSettings, shape: TableShape, choice: Choice): TargetTable {
  return {
    stream: settings.stream,
    target: settings.target,
    columns: shape.columns,
    key: choice.key,
    order: choice.order,
    mode: settings.mode,
    nullKeys: settings.nullKeys,
    appendOnly: settings.appendOnly && choice.key.length === 0,
    asText: settings.asText,
  }
}
