import type { AlarmName } from '../kernel/alarm.ts'
import type { Position } from '../kernel/position.ts'
import { formatPosition } from '../kernel/print.ts'
import type { Source, TableShape } from '../sources/source.ts'
import type { Choice } from './choose.ts'
import type { ClaimFacts, ColumnFact } from './facts.ts'

interface Alarm {
  readonly name: AlarmName
  readonly text: string
}

/**
 * What changed in the table's columns since the claim and stops no run (spec E67): other labels of an enum leave the old
 * ones in rows below the watermark, another collation or nullability leaves nothing.
 */
export function columnAlarms(
  stream: string,
  facts: ClaimFacts,
  shape: TableShape,
  watermark: Position | undefined,
): readonly Alarm[] {
  const before = new Map(facts.columns.map((column) => [column.name, column]))
  const pairs = shape.columns.flatMap((column) => {
    const old = before.get(column.name)
    return old ? [{ old, now: column }] : []
  })
  const relabelled = watermark ? pairs.filter(({ old, now }) => losesLabels(old, now)) : []
  const changed = pairs.flatMap(({ old, now }) => changesOf(old, now))
  return [
    ...relabelled.map(({ old, now }) => ({
      name: 'labels_changed' as const,
      text: `${now.name}: labels ${list(old)} became ${list(now)}: rows below ${formatPosition(watermark)} keep the old ones. To read them again: plimsoll backfill ${stream}`,
    })),
    ...(changed.length > 0 ? [{ name: 'column_changed' as const, text: changed.join('; ') }] : []),
  ]
}

/** Partitions that came or went since the claim (spec E67): rows that come with one have no place above the watermark. */
export async function partitionAlarms(
  source: Source,
  stream: string,
  facts: ClaimFacts | undefined,
  shape: TableShape,
  choice: Choice,
  watermark: Position | undefined,
): Promise<readonly Alarm[]> {
  if (!facts?.partitions || facts.acceptPresent || !watermark) return []
  const before = new Set(facts.partitions)
  const now = shape.partitions ?? []
  const gone = [...before].filter((id) => !now.some(({ objectId }) => objectId === id))
  const alarms: Alarm[] = []
  for (const part of now) {
    if (before.has(part.objectId)) continue
    if (!(await source.hasRowsBelow?.(part, choice.order, watermark))) continue
    alarms.push({
      name: 'partition_attached',
      text: `${part.schema}.${part.name} came with rows below ${formatPosition(watermark)}, which no run reads. To read them: plimsoll backfill ${stream}`,
    })
  }
  if (gone.length > 0) {
    alarms.push({
      name: 'partition_detached',
      text: `${gone.length} partitions are gone from ${stream}; the destination keeps their rows`,
    })
  }
  return alarms
}

/** An added label leaves all old rows as they are; one that was renamed, removed or moved does not. */
function losesLabels(old: ColumnFact, now: ColumnFact): boolean {
  if (!old.labels) return false
  const known = new Set(old.labels)
  const kept = (now.labels ?? []).filter((label) => known.has(label))
  return kept.join('\0') !== old.labels.join('\0')
}

function changesOf(old: ColumnFact, now: ColumnFact): string[] {
  // Claims of the first programs kept neither.
  if (old.nullable === undefined) return []
  const collation =
    old.collation === now.collation
      ? []
      : [`${now.name}: collation ${old.collation ?? 'none'} became ${now.collation ?? 'none'}`]
  const nullable =
    old.nullable === now.nullable
      ? []
      : [`${now.name} ${now.nullable ? 'may be NULL now' : 'may not be NULL any more'}`]
  return [...collation, ...nullable]
}

const MAX_LABELS = 20

function list({ labels = [] }: ColumnFact): string {
  const more = labels.length > MAX_LABELS ? ', …' : ''
  return labels.slice(0, MAX_LABELS).join(', ') + more
}
