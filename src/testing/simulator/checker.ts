import type { Landing, Receipt, StoredClaim } from '../../destinations/destination.ts'
import { comparePositions, type Position } from '../../kernel/position.ts'
import { rangeContains } from '../../kernel/range.ts'
import { positionOf, sameValues } from './merge-rows.ts'
import type { Change } from './model-database.ts'
import { type ModelRow, positionToText } from './model-row.ts'
import { type StoredRow, type StoredRows, tableName } from './model-store.ts'
import { isLargeStep } from './schedule.ts'
import type { World } from './world.ts'

export type ViolationKind =
  | 'lost'
  | 'stale'
  | 'doubled'
  | 'invented'
  | 'moved_back'
  | 'ledger'
  | 'records'
  | 'stuck'
  | 'failed'

/** The first thing that was not as it must be. */
export interface Violation {
  readonly kind: ViolationKind
  readonly text: string
}

/** Watches a world from the outside: knows all that was ever committed, and what each claim promised. */
export interface Checker {
  readonly violation: Violation | undefined
  readonly landedBatches: ReadonlyMap<string, Receipt>
  report(kind: ViolationKind, text: string): void
  committed(changes: readonly Change[]): void
  claimed(claim: StoredClaim, before: StoredClaim | undefined, landing: Landing | undefined): void
  landed(landing: Landing, receipt: Receipt, rows: readonly (string | null)[][]): void
  /** Every row below the watermark or in a lane is there, nothing else is, nothing twice. */
  atRest(watermark: Position, futureFromUs: bigint): void
}

export function createChecker(world: () => World): Checker {
  const everCommitted = new Set<string>()
  const freshOnce = new Set<string>()
  const landedBatches = new Map<string, Receipt>()
  let violation: Violation | undefined
  let proven: Position | undefined
  const report = (kind: ViolationKind, text: string): void => {
    violation ??= { kind, text }
  }
  const fenceCovers = (): boolean => !isLargeStep(world().schedule)

  return {
    get violation() {
      return violation
    },
    landedBatches,
    report,
    committed(changes) {
      for (const [, row] of changes) {
        if (!row) continue
        everCommitted.add(nameOf(row, world().schedule.method !== 'P3'))
        if (isBelow(row, proven) && fenceCovers()) {
          report('lost', `key ${row.key} was committed at ${row.position}, below a proven watermark`)
        }
      }
    },
    claimed(claim, before, landing) {
      if (before?.generation === claim.generation && before.watermark) {
        const back = !claim.watermark || comparePositions(claim.watermark, before.watermark) < 0
        if (back) report('moved_back', `the watermark fell from ${before.watermark.value}`)
      }
      proven = claim.proof === 'proven' ? claim.watermark : undefined
      if (!proven || !fenceCovers()) return
      const rows = targetRows(world())
      const when = landing ? `when ${landing.batchId.slice(0, 8)} landed` : 'when a claim was written'
      for (const row of world().database.committed.values()) {
        if (isBelow(row, proven)) comparePresent(row, rows, when, report)
      }
    },
    landed(landing, receipt, rows) {
      landedBatches.set(receipt.batchId, receipt)
      const { range, table, classBelow, purpose } = landing
      for (const values of rows) {
        const position = positionOf(table, values[1] ?? null)
        if (!range || !position) continue
        if (!rangeContains(range, position))
          report('doubled', `key ${values[0]} lies outside the landed range`)
        const fresh = purpose === 'run' && (!classBelow || comparePositions(position, classBelow) >= 0)
        if (!fresh || world().schedule.sameContents) continue
        const name = values.join('|')
        if (freshOnce.has(name)) report('doubled', `key ${values[0]} was counted fresh twice`)
        freshOnce.add(name)
      }
    },
    atRest(watermark, futureFromUs) {
      const { schedule, database } = world()
      const rows = targetRows(world())
      for (const row of database.committed.values()) {
        const inLane =
          typeof row.position !== 'bigint' || (schedule.method !== 'P3' && row.position >= futureFromUs)
        if (inLane || isBelow(row, watermark)) comparePresent(row, rows, 'at rest', report)
      }
      for (const [key, versions] of rows) {
        if (schedule.mode === 'upsert' && versions.length > 1) report('doubled', `key ${key} stands twice`)
        checkVersions(key, versions, everCommitted, report)
      }
    },
  }
}

type Report = Checker['report']

const isBelow = (row: ModelRow, bound: Position | undefined): boolean =>
  bound !== undefined && typeof row.position === 'bigint' && row.position < (bound.value as bigint)

function comparePresent(row: ModelRow, rows: StoredRows, when: string, report: Report): void {
  const found = rows.get(`["${row.key}"]`)?.at(-1)
  if (!found) {
    report('lost', `key ${row.key} at ${row.position} is absent ${when}`)
    return
  }
  const samePosition =
    typeof row.position === 'bigint'
      ? found.position?.value === row.position
      : found.values[1] === row.position
  if (samePosition && found.values[2] === row.content) return
  report(
    'stale',
    `key ${row.key} is ${row.content} at ${row.position}, ${found.values.join(' ')} there ${when}`,
  )
}

function checkVersions(
  key: string,
  versions: readonly StoredRow[],
  everCommitted: ReadonlySet<string>,
  report: Report,
): void {
  for (const [i, version] of versions.entries()) {
    if (!everCommitted.has(version.values.join('|')))
      report('invented', `${key}: ${version.values.join(' ')}`)
    const previous = versions[i - 1]
    if (previous && sameValues(previous, version)) report('doubled', `key ${key} has a version twice`)
    if (previous && previous.seq > version.seq) report('stale', `key ${key} has versions out of order`)
  }
}

function nameOf(row: ModelRow, timed: boolean): string {
  return `${row.key}|${positionToText(row.position, timed) ?? ''}|${row.content}`
}

const NO_ROWS: StoredRows = new Map()
const TARGET = tableName({ schema: 'public', name: 'orders' })

function targetRows(world: World): StoredRows {
  return world.destination.tables.get(TARGET)?.rows ?? NO_ROWS
}
