import pg from 'pg'
import { expect, test } from 'vitest'
import { seededRandom } from '../support/random.ts'
import { assureScene, quick } from './scene.ts'

// An hour of ordinary load in a minute of runs: late commits within the overlap, long transactions, a pause and its
// catch-up. Whatever is only late is no finding, and nothing pages (spec A10, A59).
const SETTINGS = quick('public.orders', {
  position: { column: 'updated_at', stampedBy: 'unknown', grain: 1n },
  overlap: { kind: 'fixed', amount: 20_000_000n },
  fence: { method: 'settle', settleMs: 50 },
})

const SET_UP = `create table public.orders (id bigserial primary key, body text, updated_at timestamptz default clock_timestamp());
  create index on public.orders (updated_at);
  insert into public.orders (body, updated_at) select 'b', now() - interval '1 hour' + g * interval '1 second' from generate_series(1, 3000) g;
  analyze public.orders`

test('ordinary load raises no page', () =>
  assureScene(
    'ordinary',
    'duckdb',
    SETTINGS,
    SET_UP,
    async ({ run, audit, reconcile, engine, sourceUrl, sql }) => {
      const random = seededRandom(7)
      const clients = await Promise.all(Array.from({ length: 4 }, () => connect(sourceUrl)))
      let isOver = false
      const writing = clients.map(async (client) => {
        while (!isOver) await writeOnce(client, random)
      })
      const long = await connect(sourceUrl)
      try {
        for (let round = 0; round < 12; round++) {
          if (round === 3) await long.query(`begin; insert into public.orders (body) values ('long')`)
          if (round === 6) await long.query('commit')
          const isPaused = round === 7 || round === 8
          if (!isPaused) expect((await run()).error).toBeUndefined()
          const { counts } = await audit({ content: round % 2 === 0 })
          expect(counts, `round ${round}`).toMatchObject({ findings: 0 })
        }
      } finally {
        isOver = true
        await Promise.all(writing)
        await Promise.all([...clients, long].map((client) => client.end()))
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
      await run()
      const { counts } = await reconcile()
      expect(counts).toMatchObject({ findings: 0 })
      const { rows } = await sql('select count(*)::int as n from public.orders')
      expect(rows[0].n).toBeGreaterThan(3_200)
      expect((await engine.catalog.alarms(true)).map(({ name }) => name)).toEqual([])
    },
  ))

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** A short transaction: inserts and updates, sometimes rolled back, sometimes committed a little later. */
async function writeOnce(client: pg.Client, random: { below(n: number): number }): Promise<void> {
  await client.query('begin')
  await client.query(
    `insert into public.orders (body) select 'new' from generate_series(1, ${1 + random.below(3)})`,
  )
  const id = 1 + random.below(3000)
  await client.query(
    'update public.orders set body = body || $1, updated_at = clock_timestamp() where id = $2',
    ['.', id],
  )
  await new Promise((resolve) => setTimeout(resolve, random.below(60)))
  await client.query(random.below(10) === 0 ? 'rollback' : 'commit')
}
