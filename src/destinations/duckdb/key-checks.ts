import { PlimsollError } from '../../kernel/errors.ts'
import { keyColumns, type LandingPlan, planKey } from './landing-plan.ts'
import { columnList, comparable } from './target-columns.ts'

/** NULL in a key that must not have one (spec E55). `relation` ends with the alias `r`. */
export async function refuseNullKeys(plan: LandingPlan, relation: string): Promise<void> {
  const { session, table } = plan
  if (table.nullKeys === 'match' || table.key.length === 0) return
  const isNull = keyColumns(plan).map(({ sql }) => `r.${sql} IS NULL`)
  const [row] = await session.rows(
    `SELECT to_json(${planKey(plan, 'r')})::VARCHAR FROM (SELECT * FROM ${relation}) r WHERE ${isNull.join(' OR ')} LIMIT 1`,
  )
  if (!row) return
  const key = JSON.parse(String(row[0]))
  throw new PlimsollError('KEY_NULL', `${table.target.name}: a key has NULL: ${JSON.stringify(key)}`, {
    hint: '`nullKeys: match` takes NULL in a key for a value like any other; or choose another key.',
    context: { table: table.target.name, columns: table.key, key },
  })
}

/**
 * How many staged rows repeat another one. Two of one key in one snapshot must be equal in all their columns, or the key
 * is none: KEY_NOT_UNIQUE (spec E53).
 */
export async function countRepeated(plan: LandingPlan, stage: string): Promise<number> {
  const { session, table, columns } = plan
  const keys = keyColumns(plan)
  const others = columns.filter(({ isKey }) => !isKey)
  const content = others.map((column) => comparable(column, 's')).join(', ')
  const repeated = await session.rows(
    `SELECT count(*), count(DISTINCT row(${content || '1'})) AS contents, to_json(any_value(${planKey(plan, 's')}))::VARCHAR
     FROM ${stage} s GROUP BY ${columnList(keys, 's')} HAVING count(*) > 1 ORDER BY contents DESC`,
  )
  const [worst] = repeated
  if (worst && Number(worst[1]) > 1) {
    const key = JSON.parse(String(worst[2]))
    throw new PlimsollError(
      'KEY_NOT_UNIQUE',
      `${table.target.name}: key ${JSON.stringify(key)} came twice in one snapshot with different content`,
      {
        hint: `The columns ${table.key.join(', ')} do not identify a row at the source: choose another key.`,
        context: { table: table.target.name, columns: table.key, key },
      },
    )
  }
  return repeated.reduce((sum, [count]) => sum + Number(count) - 1, 0)
}
