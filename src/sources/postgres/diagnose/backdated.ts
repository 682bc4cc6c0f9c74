import type { BackdatedFigures } from '../../diagnosis.ts'
import type { Row } from '../connect/connection.ts'
import { hasCommitTimes, whereKept } from './lateness.ts'
import { committedUs, shownPosition, shownUs } from './moment.ts'
import { type Subject, withFuture, within } from './subject.ts'

/**
 * L4 by commit times: rows written long after their date, when rows of later dates were there already. What comes first,
 * such as the import that filled the table, is older than nothing. Undefined where commit times are not kept.
 */
export async function backdatedByCommit(subject: Subject): Promise<BackdatedFigures | undefined> {
  if (!hasCommitTimes(subject)) return undefined
  return whereKept(async () => {
    const { rows, table, moment, request } = subject
    const { ceilingUs, order } = request
    const committed = committedUs(order, 't')
    const [late] = await rows.ask(
      `SELECT count(*) AS n FROM ${table} t WHERE ${within(subject, undefined)} AND ${committed} - ${moment} > ${ceilingUs}`,
    )
    if (late!.n === '0') return NONE
    const [latest] = await rows.ask(
      `WITH r AS (
         SELECT ${keyList(subject, 't.')} t.${subject.position}::text AS position, ${moment} AS p, ${committed} AS c
         FROM ${table} t WHERE ${within(subject, undefined)}),
       q AS (SELECT r.*, max(p) OVER (ORDER BY c RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest FROM r WHERE c IS NOT NULL)
       SELECT q.*, count(*) OVER () AS n FROM q WHERE c - p > ${ceilingUs} AND newest - p > ${ceilingUs} ORDER BY c DESC, p LIMIT 1`,
    )
    return latest ? figures(subject, latest, latest.c!, false) : NONE
  })
}

const NONE: BackdatedFigures = { count: 0, atLeast: false, latest: undefined }

/** Keys that are given out in order: an integer alone. */
const GROWING = new Set(['int2', 'int4', 'int8'])
const MOST_LISTED = 1_000
/** Each row is compared with fifty, so fewer of them than of the window. */
const KEYS_LOOKED = 200_000
/** More falls from one key to the next than one in this many: updates move the dates, and keys tell nothing. */
const ORDERED_AT_LEAST = 20

/**
 * L4 by keys that grow: rows older than all of the fifty before them, while most of those after them are not. Undefined
 * without such a key, and where updates move the dates. Of rows in a row only the first shows, so it is "at least".
 */
export async function backdatedByKey(subject: Subject): Promise<BackdatedFigures | undefined> {
  const { rows, table, moment, position, request, key } = subject
  const [column] = key
  const type = request.shape.columns.find(({ name }) => name === request.key[0])?.type.name ?? ''
  if (moment === undefined || key.length !== 1 || !GROWING.has(type)) return undefined
  const { ceilingUs } = request
  const recent = `${column} > (SELECT max(${column})::numeric - ${KEYS_LOOKED} FROM ${table})`
  const numbered = `
    WITH r AS (SELECT ${column} AS k, ${position}::text AS position, ${moment} AS p FROM ${table} WHERE ${recent} AND ${withFuture(subject, undefined)}),
    q AS (SELECT r.*, lag(p) OVER w AS before, min(p) OVER (w ROWS BETWEEN 50 PRECEDING AND 1 PRECEDING) AS earlier FROM r WINDOW w AS (ORDER BY k))`
  const [all] = await rows.ask(
    `${numbered} SELECT count(*) AS n, count(*) FILTER (WHERE before - p > ${ceilingUs}) AS falls,
       count(*) FILTER (WHERE earlier - p > ${ceilingUs}) AS older FROM q`,
  )
  if (all!.older === '0') return NONE
  if (Number(all!.falls) * ORDERED_AT_LEAST > Number(all!.n)) return undefined
  const after = `SELECT count(*) AS n, count(*) FILTER (WHERE p >= s.earlier - ${ceilingUs}) AS back
    FROM (SELECT ${moment} AS p FROM ${table} WHERE ${column} > s.k AND ${withFuture(subject, undefined)} ORDER BY ${column} LIMIT 50) f`
  const [latest] = await rows.ask(
    `${numbered}, s AS (SELECT * FROM q WHERE earlier - p > ${ceilingUs} ORDER BY k DESC LIMIT ${MOST_LISTED})
     SELECT s.k::text AS k0, s.position, s.earlier, count(*) OVER () AS n FROM s CROSS JOIN LATERAL (${after}) a
     WHERE a.n < 10 OR a.back * 2 > a.n ORDER BY s.k DESC LIMIT 1`,
  )
  return latest ? figures(subject, latest, latest.earlier!, true) : NONE
}

const keyList = ({ key }: Subject, prefix: string): string =>
  key.map((column, i) => `${prefix}${column}::text AS k${i},`).join(' ')

function figures(subject: Subject, row: Row, writtenUs: string, atLeast: boolean): BackdatedFigures {
  const { order } = subject.request
  return {
    count: Number(row.n),
    atLeast,
    latest: {
      key: subject.key.map((_, i) => row[`k${i}`] ?? 'NULL'),
      position: shownPosition(order, row.position ?? ''),
      written: shownUs(order, BigInt(writtenUs)),
    },
  }
}
