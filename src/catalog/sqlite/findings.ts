import { canonicalJson } from '../../kernel/canonical-json.ts'
import type { Finding, FindingState } from '../../kernel/finding.ts'
import type { FindingQuery } from '../catalog.ts'
import { atomically, type Db, reading } from './database.ts'

const PUT = `INSERT INTO finding (finding_id, stream, check_id, state, verdict, key_text, json) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (finding_id) DO UPDATE SET stream = excluded.stream, check_id = excluded.check_id, state = excluded.state,
    verdict = excluded.verdict, key_text = excluded.key_text, json = excluded.json`

/** Adds findings, or replaces those of the same id, all or none (spec A15). */
export function putFindings(db: Db, findings: readonly Finding[]): void {
  atomically(db, () => insertFindings(db, findings))
}

export function insertFindings(db: Db, findings: readonly Finding[]): void {
  const put = db.prepare(PUT)
  for (const finding of findings) {
    const { id, stream, checkId, state, verdict, keyText } = finding
    put.run(id, stream, checkId, state, verdict, keyText, canonicalJson(finding))
  }
}

/** In the order in which they were first put. */
export function listFindings(db: Db, wanted: FindingQuery): readonly Finding[] {
  const conditions: string[] = []
  const values: string[] = []
  const equals = (column: string, value: string | undefined): void => {
    if (value === undefined) return
    conditions.push(`${column} = ?`)
    values.push(value)
  }
  const isOneOf = (column: string, list: readonly string[] | undefined): void => {
    if (list === undefined) return
    conditions.push(`${column} IN (SELECT value FROM json_each(?))`)
    values.push(JSON.stringify(list))
  }
  equals('stream', wanted.stream)
  equals('check_id', wanted.checkId)
  isOneOf('state', wanted.states)
  isOneOf('finding_id', wanted.ids)
  isOneOf('key_text', wanted.keyTexts)
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  const sql = `SELECT json FROM finding ${where} ORDER BY id LIMIT ?`
  const rows = reading(db, () =>
    db
      .prepare(sql)
      .pluck()
      .all(...values, wanted.limit),
  ) as string[]
  return rows.map((json) => JSON.parse(json) as Finding)
}

/** By verdict, counted in the file: no finding is read for it. */
export function countFindings(
  db: Db,
  stream: string,
  states: readonly FindingState[],
): Readonly<Record<string, number>> {
  const sql = `SELECT verdict, count(*) AS n FROM finding
    WHERE stream = ? AND state IN (SELECT value FROM json_each(?)) GROUP BY verdict ORDER BY verdict`
  const rows = reading(db, () => db.prepare(sql).all(stream, JSON.stringify(states))) as {
    verdict: string
    n: bigint
  }[]
  return Object.fromEntries(rows.map(({ verdict, n }) => [verdict, Number(n)]))
}
