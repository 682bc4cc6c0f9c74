import { PlimsollError } from '../../../kernel/errors.ts'
import type { Measured } from '../../../kernel/forecast/empirical-law.ts'
import type { Position } from '../../../kernel/position.ts'
import type { LatenessFigures } from '../../diagnosis.ts'
import type { Pool } from '../connect/pool.ts'
import { readOpenTransactions } from '../lateness/open-transactions.ts'
import { committedUs } from './moment.ts'
import { type Subject, within } from './subject.ts'

/** L1: how long after their stamps the recent rows became visible; where that is not kept, who is open now. */
export async function lookAtLateness(
  subject: Subject,
  primary: Pool,
  lower: Position | undefined,
): Promise<LatenessFigures | undefined> {
  if (!hasCommitTimes(subject)) return undefined
  const kept = await whereKept(() => byCommitTimes(subject, lower))
  return kept ?? (await byOpenTransactions(primary))
}

/** Days have no lateness that would mean anything, and the rows of a view no transaction. */
export function hasCommitTimes({ isTimed, request: { order, shape } }: Subject): boolean {
  return isTimed && order.kind !== 'date' && shape.kind !== 'view'
}

/** Undefined where the server keeps no commit times. */
export async function whereKept<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof PlimsollError && error.context.state === NOT_KEPT) return undefined
    throw error
  }
}

/** object_not_in_prerequisite_state: track_commit_timestamp is off. */
const NOT_KEPT = '55000'

/** What is later than the ceiling was given an old date and is no lateness (spec A20). */
async function byCommitTimes(subject: Subject, lower: Position | undefined): Promise<LatenessFigures> {
  const { rows, table, moment, request } = subject
  const [row] = await rows.ask(
    `WITH l AS MATERIALIZED (
       SELECT us FROM (SELECT ${committedUs(request.order, 't')} - ${moment} AS us FROM ${table} t WHERE ${within(subject, lower)}) r
       WHERE us BETWEEN 0 AND ${request.ceilingUs})
     SELECT count(*) AS n, array_to_string(percentile_disc(ARRAY[0.99, 0.999, 1]) WITHIN GROUP (ORDER BY us), ' ') AS quantiles,
       (SELECT string_agg(round(mean) || ' ' || n, ',')
        FROM (SELECT avg(us) AS mean, count(*) AS n FROM l GROUP BY floor(100 * ln(greatest(us, 1)))) g) AS groups
     FROM l`,
  )
  const [p99 = '0', p999 = '0', most = '0'] = (row!.quantiles ?? '').split(' ').filter((text) => text !== '')
  return {
    way: 'commit_times',
    sampleCount: Number(row!.n),
    p99Us: BigInt(p99),
    p999Us: BigInt(p999),
    maxUs: BigInt(most),
    measured: (row!.groups ?? '')
      .split(',')
      .filter((group) => group !== '')
      .map(toMeasured),
  }
}

function toMeasured(group: string): Measured {
  const [us = '0', count = '0'] = group.split(' ')
  return { seconds: Number(us) / 1e6, count: Number(count) }
}

async function byOpenTransactions(primary: Pool): Promise<LatenessFigures> {
  const { takenUs, transactions } = await readOpenTransactions(primary)
  const ages = transactions.map(({ startUs }) => BigInt(takenUs) - BigInt(startUs))
  return {
    way: 'open_transactions',
    openCount: transactions.length,
    oldestUs: ages.reduce((a, b) => (a > b ? a : b), 0n),
  }
}
