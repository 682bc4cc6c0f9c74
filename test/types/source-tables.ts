import type { StreamSettings } from '../../src/extract/index.ts'
import { quoteLiteral } from '../../src/kernel/sql-text.ts'
import { streamSettings } from '../support/engine.ts'
import { OWN_TYPES } from './postgres-compounds.ts'
import { type Ask, printed } from './stage.ts'
import type { ValueCase } from './value-case.ts'

export const REFUSED_KEY = 4711

/** A case in its table: the row it stands in, and the column of its type. */
export interface Placed extends ValueCase {
  readonly id: number
  readonly column: string
  readonly isRefused: boolean
  /** The value as the source prints it. */
  readonly text: string
  /** The source's type as the server spells it. */
  readonly nativeType: string
}

export const label = ({ type, literal }: ValueCase): string => `${type} ${literal}`

/**
 * Tables of one source: `every` has a row a case and a column a type; `held` what the destination can hold of it; and of
 * each refused value a table `refused_<id>` with one good row and the bad one. Row 0 is NULL throughout.
 */
export async function createTables(
  ask: Ask,
  cases: readonly ValueCase[],
  isRefused: (each: ValueCase) => boolean,
): Promise<readonly Placed[]> {
  await ask(OWN_TYPES)
  const types = [...new Set(cases.map(({ type }) => type))]
  const columnOf = (type: string) => `c${types.indexOf(type)}`
  const columns = types.map((type) => `${columnOf(type)} ${type}`)
  await ask(`CREATE TABLE every (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2026-01-01Z', ${columns.join(', ')});
    CREATE INDEX ON every (at); INSERT INTO every (id) VALUES (0)`)
  const rows = cases.map(({ type, literal }, i) => {
    return `INSERT INTO every (id, ${columnOf(type)}) VALUES (${i + 1}, ${quoteLiteral(literal)})`
  })
  await ask(rows.join(';'))
  const refusedIds = cases.flatMap((each, i) => (isRefused(each) ? [i + 1] : []))
  await ask(`CREATE TABLE held (LIKE every INCLUDING ALL);
    INSERT INTO held SELECT * FROM every WHERE id <> ALL ('{${refusedIds.join(',')}}')`)
  for (const id of refusedIds) {
    const { type, literal } = cases[id - 1]!
    await ask(`CREATE TABLE refused_${id} (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2026-01-01Z', v ${type});
      CREATE INDEX ON refused_${id} (at);
      INSERT INTO refused_${id} (id, v) VALUES (1, NULL), (${REFUSED_KEY}, ${quoteLiteral(literal)})`)
  }
  const placed: Placed[] = []
  for (const [i, each] of cases.entries()) {
    const [id, column] = [i + 1, columnOf(each.type)]
    const [answer] = await ask(
      `SELECT ${printed(column)}, format_type(atttypid, atttypmod) FROM every, pg_attribute
       WHERE id = ${id} AND attrelid = 'every'::regclass AND attname = '${column}'`,
    )
    const [text, nativeType] = answer as [string, string]
    placed.push({ ...each, id, column, isRefused: isRefused(each), text, nativeType })
  }
  return placed
}

const position = { column: 'at', stampedBy: 'database' } as const

/** Streams over those tables: values as they are, all as text, and one a refused value. */
export function streamsOver(placed: readonly Placed[]) {
  const columns = [...new Set(placed.map(({ column }) => column))]
  const refused = placed.filter((each) => each.isRefused)
  return {
    held: streamSettings('public.held', { position }),
    every: streamSettings('public.every', { position, asText: columns }),
    refused: refused.map((each): [Placed, StreamSettings] => [
      each,
      streamSettings(`public.refused_${each.id}`, { position }),
    ]),
  }
}
