import { formatTimestampUs } from '../../../kernel/calendar.ts'
import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { BackdatedFigures } from '../../diagnosis.ts'
import { type Subject, withFuture } from './subject.ts'

const MOST_LISTED = 1_000
/** Each row is compared with fifty, so fewer of them than of the window. */
const KEYS_LOOKED = 200_000
/** More falls from one key to the next than one in this many: updates move the dates, and keys tell nothing. */
const ORDERED_AT_LEAST = 20
const NONE: BackdatedFigures = { count: 0, atLeast: false, latest: undefined }

/**
 * L4 by keys that grow: rows older than all of the fifty before them, while most of those after them are not. Undefined
 * without such a key, and where updates move the dates. Of rows in a row only the first shows, so it is "at least".
 */
export async function backdatedByKey(subject: Subject): Promise<BackdatedFigures | undefined> {
  const { bench, table, moment, position, request, facts } = subject
  const [name = ''] = request.key
  const isRowid = facts.columns.some((each) => each.isRowid && each.shape.name === name)
  if (moment === undefined || request.key.length !== 1 || !isRowid) return undefined
  const { ceilingUs } = request
  const k = quoteIdentifier(name)
  const recent = `${k} > (SELECT max(${k}) FROM ${table}) - ${KEYS_LOOKED}`
  const numbered = `
    WITH r AS (SELECT ${k} AS k, CAST(${position} AS TEXT) AS position, ${moment} AS p FROM ${table} WHERE ${recent} AND ${withFuture(subject, undefined)}),
    q AS (SELECT r.*, lag(p) OVER w AS before, min(p) OVER (w ROWS BETWEEN 50 PRECEDING AND 1 PRECEDING) AS earlier FROM r WINDOW w AS (ORDER BY k))`
  const [all] = await bench.ask(
    `${numbered} SELECT count(*) AS n, count(*) FILTER (WHERE before - p > ${ceilingUs}) AS falls,
       count(*) FILTER (WHERE earlier - p > ${ceilingUs}) AS older FROM q`,
  )
  if (all!.older === 0n) return NONE
  if (Number(all!.falls) * ORDERED_AT_LEAST > Number(all!.n)) return undefined
  const after = (what: string): string =>
    `(SELECT ${what} FROM (SELECT ${moment} AS p FROM ${table} WHERE ${k} > s.k AND ${withFuture(subject, undefined)} ORDER BY ${k} LIMIT 50))`
  const found = await bench.ask(
    `${numbered}, s AS (SELECT * FROM q WHERE earlier - p > ${ceilingUs} ORDER BY k DESC LIMIT ${MOST_LISTED})
     SELECT s.k, s.position, s.earlier, ${after('count(*)')} AS followers, ${after(`count(*) FILTER (WHERE p >= s.earlier - ${ceilingUs})`)} AS back
     FROM s ORDER BY s.k DESC`,
  )
  const kept = found.filter(
    ({ followers, back }) => Number(followers) < 10 || Number(back) * 2 > Number(followers),
  )
  const [latest] = kept
  if (!latest) return NONE
  return {
    count: kept.length,
    atLeast: true,
    latest: {
      key: [String(latest.k)],
      position: String(latest.position),
      written: formatTimestampUs(latest.earlier as bigint, 'Z').replace(/\.?0+Z$/, 'Z'),
    },
  }
}
