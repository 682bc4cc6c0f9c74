import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { historyFromText } from '../../src/assure/rehearse/history.ts'
import { judge } from '../../src/assure/rehearse/judge.ts'
import { makePlan, planFromText, planToText } from '../../src/assure/rehearse/plan.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { openStaging } from './staging.ts'

const SECONDS = 60
const WRITERS = 12
const RATE = 100
const SEED = 20261127

interface Copy {
  readonly id: string
  readonly lost: number
  readonly stale: number
  readonly duplicated: number
  readonly backdated: number
  readonly unbumped: number
  readonly boundaries: number
}

interface Result {
  readonly verdict: string
  readonly plimsoll: Copy
  readonly readers: readonly Copy[]
  readonly load: Readonly<Record<string, number>>
  readonly audit: {
    readonly named: number
    readonly unnamed: readonly string[]
    readonly not_looked: unknown
  }
  readonly forecast: readonly {
    readonly id: string
    readonly covered: boolean
    readonly least: number
    readonly most: number
    readonly measured: number
  }[]
  readonly files: { readonly plan: string; readonly history: string }
}

test('A48: a minute of load on PostgreSQL; Plimsoll loses nothing, the first six readers do', async () => {
  const staging = await openStaging('acceptance')
  try {
    expect((await staging.plimsoll('--mark', staging.database)).code).toBe(0)
    const folder = join(staging.folder, 'rehearsal')
    const args = ['--on', staging.url, '--rate', RATE, '--for', `${SECONDS}s`, '--period', '200ms']
    const more = ['--writers', WRITERS, '--seed', SEED, '--folder', folder]
    const ended = await staging.plimsoll(...[...args, ...more].map(String))
    const result = ended.json as Result
    expect(ended.code, ended.errors).toBe(0)
    const { plimsoll, readers, audit, forecast, load } = result
    console.log(JSON.stringify({ plimsoll, load, readers, forecast }))
    expect(plimsoll).toMatchObject({ lost: 0, stale: 0, duplicated: 0 })
    expect(load.kills).toBeGreaterThan(0)
    expect(plimsoll.boundaries).toBeGreaterThan(10)
    // Each of the first six loses; without that the rehearsal would have shown nothing.
    for (const { id, lost, stale } of readers.slice(0, 6)) expect(lost + stale, id).toBeGreaterThan(0)
    // The forecast covers marks from the data (L10, with page boundaries L7) and bounds by the clock (L11).
    const covered = forecast.filter((row) => row.covered)
    expect(covered.map(({ id }) => id)).toEqual([
      'after',
      'after_paged',
      'from',
      'composite',
      'max_first',
      'clock_1s',
    ])
    for (const { id, least, most, measured } of covered) {
      expect(measured, `${id}: ${least} to ${most}`).toBeGreaterThanOrEqual(least)
      expect(measured, `${id}: ${least} to ${most}`).toBeLessThanOrEqual(most)
    }
    // Our audit names every row that no reader by position could see.
    expect(audit).toMatchObject({ unnamed: [], not_looked: null })
    expect(plimsoll.backdated).toBeGreaterThan(0)
    expect(plimsoll.unbumped).toBeGreaterThan(0)
    expect(audit.named).toBe(plimsoll.backdated + plimsoll.unbumped)
    // A51: same seed, same bytes; same history, same table.
    const text = readFileSync(result.files.plan, 'utf8')
    const { head } = planFromText(text)
    expect(planToText(makePlan(head))).toBe(text)
    expect(planToText(makePlan({ ...head, seed: SEED + 1 }))).not.toBe(text)
    const judged = judge(historyFromText(readFileSync(result.files.history, 'utf8')))
    expect(judged.readers.map(({ lost, stale }) => [lost, stale])).toEqual(
      readers.map(({ lost, stale }) => [lost, stale]),
    )
    expect(judged.plimsoll).toMatchObject({ backdated: plimsoll.backdated, unbumped: plimsoll.unbumped })
  } finally {
    await staging.dispose()
  }
})

test('A50, A51: the busiest minute times the multiplier, as its hour; --replay repeats the plan on the same destination', async () => {
  const staging = await openStaging('replay')
  try {
    expect((await staging.plimsoll('--mark', staging.database)).code).toBe(0)
    const [first, again] = [join(staging.folder, 'first'), join(staging.folder, 'again')]
    const ended = await staging.plimsoll('orders', '--multiplier', '3', '--for', '3s', '--folder', first)
    // Three seconds may be too few for nine tenths of the rate; nothing may be lost in them.
    expect([0, 4], ended.errors).toContain(ended.code)
    const plan = readFileSync(join(first, 'plan.jsonl'), 'utf8')
    const { head } = planFromText(plan)
    const { rows } = await staging.sql(
      `select max(n)::int as most from (select count(*) as n from orders group by date_trunc('minute', updated_at)) m`,
    )
    expect(head.rate).toBeCloseTo((3 * rows[0].most) / 60)
    expect(head.hour).toHaveLength(60)
    expect(Math.max(...head.hour)).toBe(1)
    const replayed = await staging.plimsoll('--replay', join(first, 'plan.jsonl'), '--folder', again)
    expect([0, 4], replayed.errors).toContain(replayed.code)
    expect(readFileSync(join(again, 'plan.jsonl'), 'utf8')).toBe(plan)
    // Nothing of a rehearsal stays at the source but its empty schema.
    const left = await staging.sql(
      `select relname from pg_class where relnamespace = 'plimsoll_load'::regnamespace`,
    )
    expect(left.rows).toEqual([])
  } finally {
    await staging.dispose()
  }
})

test('A53: a pipeline that loses rows is found out, exit 3, and the table says so', async () => {
  const staging = await openStaging('losing')
  try {
    // Waiting for 50 ms is no fence: every transaction held open for longer commits below the watermark.
    const destination = await freshDatabase(postgresServers()[0]!, 'rehearse losing copy')
    await staging.configure({ destination, table: { fence: 'settle', settle: '50ms' } })
    expect((await staging.plimsoll('--mark', staging.database)).code).toBe(0)
    const folder = join(staging.folder, 'rehearsal')
    const ended = await staging.plimsoll('--rate', '60', '--for', '10s', '--folder', folder)
    const result = ended.json as Result
    expect(ended.code, ended.errors).toBe(3)
    expect(result.verdict).toBe('failed')
    expect(result.plimsoll.lost + result.plimsoll.stale).toBeGreaterThan(10)
    const judged = judge(historyFromText(readFileSync(result.files.history, 'utf8')))
    expect(judged.verdict).toBe('failed')
  } finally {
    await staging.dispose()
  }
})
