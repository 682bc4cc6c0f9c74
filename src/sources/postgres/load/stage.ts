import { assert } from '../../../kernel/assert.ts'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { LoadStage } from '../../load.ts'
import type { LoadSession } from './session.ts'

/** A moment as a position: floored to the grain, exact, for µs below 2^53 are whole in a double. */
export function stampOf(moment: string, { grainUs }: LoadStage): string {
  assert(Number.isSafeInteger(grainUs) && grainUs >= 1, `not a grain: ${grainUs}`)
  if (grainUs === 1) return moment
  return fromUs(`(extract(epoch FROM ${moment}) * 1000000)::bigint / ${grainUs} * ${grainUs}`)
}

/** The timestamp of µs since 1970 given as SQL. */
export const fromUs = (sql: string): string => `('epoch'::timestamptz + (${sql}) * interval '1 microsecond')`

/** The µs of a timestamp, as text. */
export const toUs = (sql: string): string => `(extract(epoch FROM ${sql}) * 1000000)::bigint::text`

/** The stand-in: a key, a version that names its write, some bytes, and the position as the rehearsed table has it. */
export async function makeStage(session: LoadSession, stage: LoadStage): Promise<void> {
  const table = quoteTable(stage.table)
  const { rows } = stage
  assert(Number.isSafeInteger(rows) && rows >= 1, `not a count of rows: ${rows}`)
  const first = stampOf(`(now() - interval '1 hour' + g * (interval '1 hour' / ${rows}))`, stage)
  await session.ask(`CREATE SCHEMA IF NOT EXISTS ${schemaOf(stage)}`)
  await session.ask(`CREATE TABLE ${table} (id bigint PRIMARY KEY, version text NOT NULL, payload text NOT NULL,
    updated_at timestamptz NOT NULL)`)
  await session.ask(
    `INSERT INTO ${table} SELECT g, '0.0.' || g, ${payload(stage)}, ${first} FROM generate_series(1, ${rows}) g`,
  )
  await session.ask(`CREATE INDEX ON ${table} (updated_at)`)
  await session.ask(`ANALYZE ${table}`)
}

export async function dropStage(session: LoadSession, stage: LoadStage): Promise<void> {
  await session.ask(`DROP TABLE IF EXISTS ${quoteTable(stage.table)}`)
}

const schemaOf = (stage: LoadStage): string => quoteTable(stage.table).split('.')[0]!

/** Bytes that do not compress to nothing. */
export const payload = ({ payloadBytes }: LoadStage): string =>
  `substr(repeat(md5(random()::text), ${Math.ceil(payloadBytes / 32)}), 1, ${payloadBytes})`
