import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { MoverFigures } from '../../diagnosis.ts'
import type { Row } from '../connect/connection.ts'
import type { Subject } from './subject.ts'

/** Row triggers that fire before an update and whose function speaks of the column. */
const TRIGGERS = `
SELECT t.tgname AS name, t.tgenabled AS enabled, t.tgattr <> '' AS some_columns, t.tgqual IS NOT NULL AS conditional,
       pg_get_triggerdef(t.oid) AS definition, strpos(f.prosrc, 'NEW.' || $3 || ' :=') > 0 AS sets_quoted
FROM pg_trigger t JOIN pg_proc f ON f.oid = t.tgfoid
WHERE t.tgrelid = $1::oid AND NOT t.tgisinternal AND (t.tgtype::int & 1) <> 0 AND (t.tgtype::int & 2) <> 0 AND (t.tgtype::int & 16) <> 0
  AND (strpos(lower(f.prosrc), lower($2)) > 0 OR strpos(f.prosrc, $3) > 0 OR f.proname = 'moddatetime' AND strpos(pg_get_triggerdef(t.oid), quote_literal($2)) > 0)
ORDER BY t.tgname`

/** L2: what in the database sets the position when a row changes. */
export async function lookAtMovers({ primary, request }: Subject): Promise<readonly MoverFigures[]> {
  const { shape, order } = request
  const rows = await primary.ask(TRIGGERS, [shape.objectId, order.column, quoteIdentifier(order.column)])
  const evidence = shape.positions.find(({ column }) => column === order.column)?.evidence ?? []
  // Disabled ones are not in the evidence; of the others those are left that assign the column and do not just read it.
  const setting = rows.filter(
    ({ name, enabled, sets_quoted }) =>
      enabled === 'D' || sets_quoted === 't' || evidence.includes(`trigger ${name}`),
  )
  return setting.map((row) => ({ name: row.name ?? '', fires: whenFires(row) }))
}

const ENABLED: Readonly<Record<string, MoverFigures['fires']>> = { A: 'always', R: 'replica', D: 'never' }

/** A condition that asks whether anything changed leaves out nothing. */
const ANY_CHANGE = /WHEN \(+old\.\* IS DISTINCT FROM new\.\*\)+/i

function whenFires({ enabled, some_columns, conditional, definition }: Row): MoverFigures['fires'] {
  const fires = ENABLED[enabled ?? ''] ?? 'origin'
  if (fires === 'never' || fires === 'replica') return fires
  const isPartly = some_columns === 't' || (conditional === 't' && !ANY_CHANGE.test(definition ?? ''))
  return isPartly ? 'some' : fires
}
