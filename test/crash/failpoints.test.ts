import { describe, expect, test } from 'vitest'
import type { Failpoint } from '../../src/kernel/failpoint.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import {
  afterGuard,
  type Combination,
  change,
  complaints,
  openStage,
  SLICE_ROWS,
  type Stage,
} from './stage.ts'

const LONG = process.env.PLIMSOLL_SUITE === 'long'
const server = postgresServers()[0]!

const COMBINATIONS: readonly Combination[] = [
  { destination: 'duckdb', mode: 'upsert' },
  { destination: 'postgres', mode: 'history' },
  { destination: 'duckdb', mode: 'history' },
  { destination: 'postgres', mode: 'upsert' },
]

/** Reached by every run; the number is which time, so that the death is also in a later slice. */
const EVERY_RUN: readonly (readonly [Failpoint, number])[] = [
  ['lease.acquired', 1],
  ['run.opened', 1],
  ['fence.clock_read', 1],
  ['fence.listed', 1],
  ['fence.recorded', 1],
  ['read.locked', 1],
  ['read.snapshot_opened', 1],
  ['read.last_page_done', 2],
  ['land.staged', 1],
  ['land.counted', 2],
  ['land.merged', 2],
  ['land.claim_written', 1],
  ['land.commit_sent', 2],
  ['land.committed', 2],
  ['slice.receipt_stored', 1],
  ['lane.landed', 1],
  ['run.closing', 1],
]

describe('killed at every named failpoint (E74)', () => {
  describe.each(['first load', 'increment'] as const)('%s', (phase) => {
    test.each(EVERY_RUN.map(([name, count], index) => ({ name, count, index })))(
      '$name',
      async ({ name, count, index }) => {
        const all = phase === 'first load' ? index : index + 1
        const combinations = LONG ? COMBINATIONS : [COMBINATIONS[all % COMBINATIONS.length]!]
        for (const combination of combinations) await dieAndRecover(combination, phase, `${name}:${count}`)
      },
    )
  })
})

async function dieAndRecover(
  combination: Combination,
  phase: 'first load' | 'increment',
  failpoint: string,
): Promise<void> {
  const label = `${combination.destination} ${combination.mode} ${phase} ${failpoint}`
  const stage = await openStage(
    await freshDatabase(server, 'crash source'),
    await freshDatabase(server, 'crash copy'),
    combination,
  )
  try {
    if (phase === 'increment') {
      expect((await stage.copy()).errors, label).toBe('')
      await change(stage, 1)
      await afterGuard()
    }
    const died = await stage.copy({ failpoint })
    expect(died.signal, `${label}: ${died.errors}`).toBe('SIGKILL')
    const unclaimed = await rowsAbove(stage, await claimOf(stage))
    await change(stage, 2)
    await afterGuard()
    const again = await stage.copy()
    expect(again.code, `${label}: ${again.errors}`).toBe(0)
    const { rows_read } = (again.json as { results: { counts: { rows_read: number } }[] }).results[0]!.counts
    expect(rows_read, `${label}: at most one slice is read again`).toBeLessThanOrEqual(
      unclaimed + CHANGED + SLICE_ROWS,
    )
    await afterGuard()
    expect((await stage.copy()).code, label).toBe(0)
    expect(await complaints(stage), label).toEqual([])
  } finally {
    await stage.dispose()
  }
}

/** Rows that `change` gives a new position. */
const CHANGED = 210

async function claimOf(stage: Stage): Promise<string | undefined> {
  const table = stage.combination.destination === 'duckdb' ? 'main.plimsoll_claim' : 'plimsoll.plimsoll_claim'
  const rows = await stage.landed(`select watermark from ${table}`).catch(() => [])
  const watermark = rows[0]?.[0]
  return watermark === 'NULL' ? undefined : watermark
}

async function rowsAbove(stage: Stage, watermark: string | undefined): Promise<number> {
  const above = watermark
    ? `(extract(epoch from updated_at) * 1000000)::bigint >= ${watermark}`
    : 'updated_at is not null'
  const { rows } = await stage.sql(`select count(*)::int as n from public.things where ${above}`)
  return (rows[0] as { n: number }).n
}
