import type { LateRow, Receipt, RowClasses, TargetTable } from '../../destinations/destination.ts'
import { parseTimestamp } from '../../kernel/calendar.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { comparePositions, type Position, positionToJson } from '../../kernel/position.ts'
import { type Range, rangeContains } from '../../kernel/range.ts'
import type { StoredRow, StoredRows } from './model-store.ts'

export interface MergeRequest {
  readonly table: TargetTable
  readonly incoming: readonly (readonly (string | null)[])[]
  readonly readSeq: number
  readonly range: Range | undefined
  readonly classBelow: Position | undefined
}

export type Merged = Pick<
  Receipt,
  'inserted' | 'updated' | 'unchanged' | 'classes' | 'lateRows' | 'checksum'
> & {
  readonly rows: StoredRows
  /** The keys of the rows, as JSON arrays of texts. */
  readonly keys: readonly string[]
}

const MAX_LATE_ROWS = 1_000

/** What rows become when they are landed on others: the later read wins, the same twice is once (spec E41, E53 to E55). */
export function mergeRows(before: StoredRows, request: MergeRequest): Merged {
  const { table, readSeq, range, classBelow } = request
  const keyAt = table.key.map((name) => columnIndex(table, name))
  const positionAt = columnIndex(table, table.order.column)
  const seen = new Map<string, StoredRow>()
  const rows = new Map(before)
  const replaced = table.appendOnly ? takeRange(rows, range) : []
  const classes = { fresh: 0, late: 0, reprocessed: 0, samePosition: 0, regressed: 0 }
  const late: { key: string[]; position: Position }[] = []
  let [inserted, updated, unchanged, sum] = [0, 0, 0, 0]
  for (const values of request.incoming) {
    const row: StoredRow = { values, position: positionOf(table, values[positionAt] ?? null), seq: readSeq }
    const keyValues = keyAt.map((index) => values[index] ?? null)
    const key = table.appendOnly ? '' : keyName(table, keyValues)
    const known = table.appendOnly ? undefined : before.get(key)?.at(-1)
    const twin = table.appendOnly ? takeTwin(replaced, row) : undefined
    const kind = classOf(row, known ?? twin, classBelow)
    classes[kind]++
    if (kind === 'late') late.push({ key: keyValues.map(String), position: row.position! })
    sum = (sum + hashText(`${key}|${values[positionAt] ?? ''}`)) % 2 ** 48
    if (table.appendOnly) {
      rows.set('', [...(rows.get('') ?? []), row])
      if (twin) unchanged++
      else inserted++
      continue
    }
    const first = seen.get(key)
    if (first && !sameValues(first, row)) throw keyTwice(table, keyValues)
    if (first) {
      unchanged++
      continue
    }
    seen.set(key, row)
    if (!known) {
      rows.set(key, [row])
      inserted++
    } else if (known.seq > readSeq) unchanged++
    else if (sameValues(known, row)) {
      rows.set(key, [...before.get(key)!.slice(0, -1), row])
      unchanged++
    } else if (table.mode === 'history') {
      rows.set(key, [...before.get(key)!, row])
      inserted++
    } else {
      rows.set(key, [row])
      updated++
    }
  }
  late.sort((a, b) => comparePositions(a.position, b.position))
  const lateRows: LateRow[] = late
    .slice(0, MAX_LATE_ROWS)
    .map(({ key, position }) => ({ key, position: positionToJson(position) }))
  return {
    rows,
    inserted,
    updated,
    unchanged,
    classes,
    lateRows,
    checksum: String(sum),
    keys: [...seen.keys()],
  }
}

/** How a row stands against what was there before (spec E41). */
function classOf(
  row: StoredRow,
  known: StoredRow | undefined,
  below: Position | undefined,
): keyof RowClasses {
  if (!below || !row.position || comparePositions(row.position, below) >= 0) return 'fresh'
  if (!known) return 'late'
  if (sameValues(known, row)) return 'reprocessed'
  if (!known.position) return 'late'
  const order = comparePositions(known.position, row.position)
  return order < 0 ? 'late' : order > 0 ? 'regressed' : 'samePosition'
}

/** The position of a wire value; undefined for NULL and what has no place in the order. */
export function positionOf({ order }: TargetTable, text: string | null): Position | undefined {
  if (text === null) return undefined
  if (order.kind === 'text') return { kind: 'text', value: text }
  if (order.kind === 'integer' || order.kind === 'xid8')
    return /^-?\d+$/.test(text) ? { kind: order.kind, value: BigInt(text) } : undefined
  const us = parseTimestamp(text)
  return us === undefined ? undefined : { kind: order.kind, value: us }
}

const columnIndex = (table: TargetTable, name: string): number =>
  table.columns.findIndex((column) => column.name === name)

function keyName(table: TargetTable, values: readonly (string | null)[]): string {
  if (table.nullKeys === 'refuse' && values.includes(null)) {
    throw new PlimsollError('KEY_NULL', `${table.stream}: NULL in the key (${values.join(', ')})`, {
      context: { key: values },
    })
  }
  return JSON.stringify(values)
}

function keyTwice(table: TargetTable, values: readonly (string | null)[]): PlimsollError {
  const key = values.join(', ')
  return new PlimsollError('KEY_NOT_UNIQUE', `${table.stream}: key ${key} twice with different content`, {
    context: { key: values },
  })
}

export function sameValues(a: StoredRow, b: StoredRow): boolean {
  return a.values.length === b.values.length && a.values.every((value, i) => value === b.values[i])
}

/** Removes the rows of a range and returns them: without a key the range is replaced (spec E55). */
function takeRange(rows: Map<string, readonly StoredRow[]>, range: Range | undefined): StoredRow[] {
  const inside = (row: StoredRow): boolean =>
    range !== undefined && row.position !== undefined && rangeContains(range, row.position)
  const all = rows.get('') ?? []
  rows.set(
    '',
    all.filter((row) => !inside(row)),
  )
  return all.filter(inside)
}

function takeTwin(rows: StoredRow[], row: StoredRow): StoredRow | undefined {
  const index = rows.findIndex((each) => sameValues(each, row))
  return index < 0 ? undefined : rows.splice(index, 1)[0]
}

function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
