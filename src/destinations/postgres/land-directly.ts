import { assert } from '../../kernel/assert.ts'
import type { Landing } from '../destination.ts'
import { copyIn, sourceRowCount } from './copy-in.ts'
import { copyRefusal } from './copy-refusal.ts'
import type { LandingStep } from './land.ts'
import { type LandingPlan, list } from './landing-plan.ts'
import { SEQ_COLUMN } from './names.ts'
import { SEQ_DEFAULT, SEQ_SETTING } from './seq-column.ts'
import type { TableFacts } from './table-facts.ts'
import { notationOf } from './wire-notation.ts'
import { createWireTally } from './wire-tally.ts'
import type { Written } from './written.ts'

const TAIL_KEYS = 3

/**
 * Whether the bytes may go straight into the target: nothing is there to compare with, PostgreSQL reads the wire as it
 * is, the readSeq comes from the column's default, and a NULL in the key stops the COPY.
 */
export function canLandDirectly({ table, facts, projected }: LandingPlan, landing: Landing): boolean {
  const refusesNull = table.key.every((name) => facts.columns.get(name)!.notNull)
  return (
    landing.known === 'nothing_there' &&
    landing.classBelow === undefined &&
    projected.size === 0 &&
    (refusesNull || table.nullKeys === 'match') &&
    hasOurDefault(facts)
  )
}

/** The server leaves the schema out where it is on the search path. */
function hasOurDefault(facts: TableFacts): boolean {
  const found = facts.columns.get(SEQ_COLUMN)?.defaultSql
  return found === SEQ_DEFAULT || `plimsoll.${found}` === SEQ_DEFAULT
}

/**
 * COPY into the target itself. The checksum (`rows:`) is summed from the bytes on their way, line by line: it covers
 * every value, keys and positions among them, in any order, and costs no second pass over the table. It is not the
 * checksum of a staged landing (`keys:`), which covers keys and positions alone.
 */
export async function landDirectly(step: LandingStep, plan: LandingPlan): Promise<Written> {
  const { session, landing, opened, reach } = step
  const startedAt = performance.now()
  const notation = notationOf(landing.rows.format)
  const tally = createWireTally(notation)
  await session.query('SELECT set_config($1, $2, true)', [SEQ_SETTING, String(landing.readSeq)])
  const rowsRead = await copyIn(
    session,
    `COPY ${plan.target} (${list(plan.columns)}) FROM STDIN ${notation.copyOptions}`,
    opened,
    tally,
  ).catch((error: unknown) => {
    throw copyRefusal(error, plan, tally)
  })
  const rowCount = await sourceRowCount(landing.rows)
  assert(rowsRead === rowCount, `the source sent ${rowCount} rows, the destination took ${rowsRead}`)
  await reach('land.staged')
  await reach('land.counted')
  await reach('land.merged')
  return {
    rowsRead,
    byteSize: tally.byteSize(),
    inserted: rowsRead,
    updated: 0,
    unchanged: 0,
    classes: { fresh: rowsRead, late: 0, reprocessed: 0, samePosition: 0, regressed: 0 },
    lateRows: [],
    checksum: `rows:${tally.checksum()}`,
    tailKeys: tailKeys(plan, tally.lastRecords(TAIL_KEYS)),
    stageMs: 0,
    mergeMs: performance.now() - startedAt,
  }
}

function tailKeys({ table }: LandingPlan, records: (string | null)[][]): string[] {
  if (table.key.length === 0) return []
  const places = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  return records.map((record) => JSON.stringify(places.map((place) => record[place] ?? null)))
}
