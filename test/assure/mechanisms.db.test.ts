import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import type { PostgresServer } from '../../scripts/servers/postgres.ts'
import { alertsOf } from '../../src/assure/audit/alert.ts'
import type { StreamAudit } from '../../src/assure/audit/audit-stream.ts'
import { NOTHING_MEASURED } from '../../src/assure/audit/lateness-knowledge.ts'
import { ownServer } from '../support/servers.ts'
import { type AssureScene, assureScene, quick } from './scene.ts'

// Ten rows a mechanism, on a server that keeps commit times and on one that does not (spec A18).
let withTimes: PostgresServer
beforeAll(async () => {
  withTimes = await ownServer({ track_commit_timestamp: 'on' })
})

const SECOND = 1_000_000n
const SETTINGS = quick('public.orders', {
  position: { column: 'at', stampedBy: 'application', grain: 1n },
  overlap: { kind: 'fixed', amount: 1n },
  fence: { method: 'settle', settleMs: 300 },
})

const SET_UP = `create table public.orders (id int primary key, body text, at timestamptz);
  create index on public.orders (at);
  insert into public.orders select g, 'b' || g, now() - interval '10 hours' + g * interval '1 minute' from generate_series(1, 500) g;
  analyze public.orders`

const MEASURED = { ...NOTHING_MEASURED, largestLatenessUs: 20n * SECOND }

function scene(name: string, work: (scene: AssureScene) => Promise<void>, keepsTimes = true): Promise<void> {
  const options = keepsTimes ? { server: withTimes, measured: MEASURED } : { measured: MEASURED }
  return assureScene(name, 'duckdb', SETTINGS, SET_UP, work, options)
}

/** Rows in an open transaction of their own, stamped when it begins. */
async function openRows(url: string, from: number): Promise<{ commit(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query(
    `insert into public.orders select g, 'late', clock_timestamp() from generate_series(${from}, ${from + 9}) g`,
  )
  return {
    async commit() {
      await client.query('commit')
      await client.end()
    },
  }
}

describe('with commit times', () => {
  test('late commits are the extract’s, and backdated rows are not', () =>
    scene('late and backdated', async ({ run, sql, audit, sourceUrl }) => {
      await run()
      const late = await openRows(sourceUrl, 1000)
      await new Promise((resolve) => setTimeout(resolve, 700))
      await run()
      await late.commit()
      await sql(
        `insert into public.orders select g, 'old', now() - interval '5 days' from generate_series(2000, 2009) g`,
      )
      const looked = await audit()
      expect(mechanisms(looked)).toEqual({ 'LOST late_commit shown': 10, 'LOST backdated shown': 10 })
      const sentences = alerts(looked)
      expect(sentences).toContain('THE EXTRACT IS WRONG: it passed 10 rows and will not come back for them.')
      expect(sentences).toContain(
        'THE EXTRACT IS RIGHT: somebody wrote 10 rows with an old date after we had passed it.',
      )
    }))

  test('rows that vanish from the destination after a clean audit are its loss', () =>
    scene('destination loss', async ({ run, spoil, audit, engine }) => {
      await run()
      expect((await audit()).counts.findings).toBe(0)
      await spoil('delete from public.orders where id between 101 and 110')
      expect(mechanisms(await audit())).toEqual({ 'LOST destination_loss shown': 10 })
      expect((await engine.catalog.alarms(true)).map(({ name }) => name)).toEqual(['destination_lost_rows'])
    }))

  test('rows nobody ever saw at the destination stay unknown, and are called the extract’s until shown otherwise', () =>
    scene('unknown', async ({ run, spoil, audit }) => {
      await run()
      await spoil('delete from public.orders where id between 101 and 110')
      expect(mechanisms(await audit())).toEqual({ 'LOST unknown none': 10 })
    }))

  test.each(['hole', 'decreed'] as const)('a %s range is our own choice', (state) =>
    scene(`range ${state}`, async ({ run, spoil, audit, sql, engine, settings }) => {
      await run()
      const { rows } = await sql(
        `select min(extract(epoch from at) * 1000000)::bigint::text as a, max(extract(epoch from at) * 1000000 + 1)::bigint::text as b
         from public.orders where id between 101 and 110`,
      )
      const bound = (text: string) => ({ kind: 'timestamptz', value: BigInt(text) }) as const
      await engine.catalog.addRange({
        stream: settings.catalogKey,
        generation: 1,
        runId: 'r',
        kind: 'run',
        state,
        range: { lower: bound(rows[0].a), upper: bound(rows[0].b) },
        proof: 'assumed',
        batchId: '',
        readSeq: 0,
        reason: 'somebody',
      })
      await spoil('delete from public.orders where id between 101 and 110')
      const looked = await audit()
      expect(mechanisms(looked)).toEqual({ [`LOST ${state === 'hole' ? 'hole' : 'decree'} shown`]: 10 })
      expect(alerts(looked)[0]).toMatch(/^WE CHOSE THIS/)
    }),
  )

  test('what the settings name is repaired by itself, and the alarm is over (A33)', () =>
    scene('by itself', async ({ run, sql, audit, engine, spoil }) => {
      await run()
      await sql(
        `insert into public.orders select g, 'old', now() - interval '5 days' from generate_series(2000, 2009) g`,
      )
      await spoil('delete from public.orders where id = 1')
      const looked = await audit({}, { autoRepair: ['backdated'] })
      expect(looked.counts).toMatchObject({ findings: 11, repaired: 10 })
      expect((await audit()).counts).toMatchObject({ findings: 1 })
      expect((await engine.catalog.alarms(true)).map(({ name }) => name)).toEqual(['rows_lost'])
      expect((await engine.catalog.alarms(false)).map(({ name }) => name)).toContain('rows_backdated')
    }))

  test('a missed update is STALE with the same evidence', () =>
    scene('stale', async ({ run, sql, audit, spoil }) => {
      await run()
      await sql(`update public.orders set at = at + interval '1 second' where id between 1 and 10`)
      await spoil('select 1')
      expect(mechanisms(await audit())).toEqual({ 'STALE backdated shown': 10 })
    }))
})

test('without commit times nothing is shown that needs them', () =>
  scene(
    'no times',
    async ({ run, sql, audit, spoil }) => {
      await run()
      await audit()
      await sql(
        `insert into public.orders select g, 'old', now() - interval '5 days' from generate_series(2000, 2009) g`,
      )
      await spoil('delete from public.orders where id between 101 and 110')
      const looked = await audit()
      expect(Object.keys(mechanisms(looked)).filter((each) => each.endsWith('shown'))).toEqual([])
      expect(looked.findings).toHaveLength(20)
    },
    false,
  ))

function mechanisms(audit: StreamAudit): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { verdict, mechanism, grade } of audit.findings) {
    const name = `${verdict} ${mechanism} ${grade}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function alerts({ findings, watermark, checkId }: StreamAudit): string[] {
  const context = { stream: 'public.orders', positionColumn: 'at', watermark, checkId }
  return alertsOf(findings, context).map(({ sentence }) => sentence)
}
