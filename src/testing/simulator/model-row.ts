import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { Lane } from '../../kernel/lane.ts'
import { csvField } from '../../sources/csv.ts'

/** A value of the position column: µs or a transaction id, or what has no place in the order. */
export type ModelPosition = bigint | 'infinity' | null

/** One version of a row; a version that is committed never changes. */
export interface ModelRow {
  readonly key: number
  readonly position: ModelPosition
  readonly content: string | null
}

/** The lane of a row, or undefined when it has a place in the order (spec E43). */
export function laneOf(row: ModelRow, futureFromUs: bigint | undefined): Lane | undefined {
  if (row.position === null) return 'null'
  if (row.position === 'infinity') return 'infinity'
  return futureFromUs !== undefined && row.position >= futureFromUs ? 'future' : undefined
}

/** The row as a line of `plain_csv`. */
export function rowToCsv(row: ModelRow, timed: boolean): string {
  const content = row.content === null ? '' : csvField(row.content)
  return `${row.key},${positionToText(row.position, timed) ?? ''},${content}\n`
}

/** The position as it travels; null is NULL. */
export function positionToText(position: ModelPosition, timed: boolean): string | null {
  if (typeof position !== 'bigint') return position
  return timed ? formatTimestampUs(position) : String(position)
}
