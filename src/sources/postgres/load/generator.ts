import { setTimeout as sleep } from 'node:timers/promises'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import type { LoadFactsOfServer, LoadGenerator } from '../../load.ts'
import type { TableRef } from '../../source.ts'
import { Pool } from '../connect/pool.ts'
import { readIdentity } from '../describe/identity.ts'
import { readMarks, writeMark } from './marker.ts'
import { createReader } from './reader.ts'
import { type LoadSession, openLoadSession } from './session.ts'
import { dropStage, makeStage } from './stage.ts'
import { createWriter, idleInTransaction } from './writer.ts'

const MINUTES = 60

/** Load for a rehearsal on a PostgreSQL database; its first session is the one that marks, makes and drops. */
export async function openLoadGenerator(url: string): Promise<LoadGenerator> {
  const main = await openLoadSession(url)
  const identity = async () => {
    const pool = new Pool(url)
    try {
      return await readIdentity(await pool.control())
    } finally {
      await pool.close()
    }
  }
  return {
    identity,
    marks: () => readMarks(main),
    mark: async (days) => writeMark(main, await identity(), days),
    facts: () => readFacts(main),
    busiestHour: (table, column) => busiestHour(main, table, column),
    setUp: (stage) => makeStage(main, stage),
    openWriter: async (stage) => createWriter(await openLoadSession(url), stage),
    openReader: async (stage) => createReader(await openLoadSession(url), stage),
    idle: (stage, key, version, ms) =>
      withSession(url, (session) => idleInTransaction(session, stage, key, version, ms)),
    pauseReplay: (replicaUrl, ms) => withSession(replicaUrl, (session) => pauseReplay(session, ms)),
    tearDown: (stage) => dropStage(main, stage),
    close: () => main.close(),
  }
}

async function withSession<T>(url: string, work: (session: LoadSession) => Promise<T>): Promise<T> {
  const session = await openLoadSession(url)
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

async function pauseReplay(session: LoadSession, ms: number): Promise<void> {
  await session.ask('SELECT pg_wal_replay_pause()')
  try {
    await sleep(ms)
  } finally {
    await session.ask('SELECT pg_wal_replay_resume()')
  }
}

async function readFacts(session: LoadSession): Promise<LoadFactsOfServer> {
  const [row] = await session.ask(`SELECT current_database(), current_setting('max_prepared_transactions'),
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE coalesce(backend_type, 'client backend') = 'client backend')`)
  const [database, prepared, left] = row!
  return { database: database!, mayPrepare: Number(prepared) > 0, connectionsLeft: Number(left) }
}

/** By the rows as they stand now, of the last 35 days (load-forecast L3). */
async function busiestHour(
  session: LoadSession,
  table: TableRef,
  column: string,
): Promise<readonly number[] | undefined> {
  const c = quoteIdentifier(column)
  const from = quoteTable(table)
  const [type] = await session.ask(`SELECT pg_typeof(${c})::text FROM ${from} LIMIT 1`)
  if (!type?.[0]?.startsWith('timestamp')) return undefined
  const rows = await session.ask(`
    WITH minutes AS (
      SELECT date_trunc('minute', ${c}) AS m, count(*) AS n FROM ${from}
      WHERE ${c} <= now() AND ${c} >= (SELECT max(${c}) FROM ${from} WHERE ${c} <= now()) - interval '35 days' GROUP BY 1),
    busiest AS (SELECT m FROM minutes ORDER BY n DESC, m LIMIT 1)
    SELECT extract(minute FROM minutes.m)::int, minutes.n FROM minutes, busiest
    WHERE date_trunc('hour', minutes.m) = date_trunc('hour', busiest.m)`)
  if (rows.length === 0) return undefined
  const counts = new Array<number>(MINUTES).fill(0)
  for (const [minute, count] of rows) counts[Number(minute)] = Number(count)
  return counts
}
