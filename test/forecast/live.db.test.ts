import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { workspace } from '../cli/support/program.ts'
import { openSession } from '../support/postgres-source.ts'
import { freshDatabase, ownServer } from '../support/servers.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Transactions of random length, each with a few rows stamped when it began. */
async function write(url: string, forMs: number): Promise<void> {
  const writers = await Promise.all([0, 1, 2, 3].map(() => openSession(url)))
  const until = performance.now() + forMs
  await Promise.all(
    writers.map(async (sql, writer) => {
      for (let i = 0; performance.now() < until; i++) {
        await sql('BEGIN')
        await sql(`INSERT INTO orders (who) SELECT ${writer} FROM generate_series(1, 20)`)
        await pause(i % 10 === 0 ? 400 : 5 + (i % 7) * 8)
        await sql('COMMIT')
      }
    }),
  )
}

test('the program measures a live server, and says what its overlap leaves and what ten times the rate breaks', async () => {
  const server = await ownServer({ track_commit_timestamp: 'on' })
  const url = await freshDatabase(server, 'live lateness')
  const sql = await openSession(url)
  await sql(`CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, who int,
    at timestamptz NOT NULL DEFAULT now(), quiet int); CREATE INDEX ON orders (at); INSERT INTO orders (who) VALUES (0)`)
  const { run, start, path } = workspace()
  writeFileSync(
    path('plimsoll.yaml'),
    `source: { url: '${url}' }
destination: { url: 'duckdb:out.duckdb' }
defaults: { sampler: 200ms, guard: 10ms, fenceSample: 20ms }
tables:
  public.orders: { position: { column: at, stampedBy: application }, overlap: auto }
`,
  )
  expect((await run('lateness', 'orders')).stdout).toContain('nothing measured yet')
  expect((await run('run')).code).toBe(0)
  const following = start(['follow', '--every', '500ms'])
  await write(url, 9_000)
  await pause(1_200)
  following.child.kill('SIGTERM')
  await following.finished

  const lateness = await run('lateness', 'orders', '--json')
  expect(lateness.code).toBe(0)
  const { commit, levels, open_writers, overlap_origin } = lateness.json
  const [[rows] = []] = await sql('SELECT count(*) FROM orders')
  expect(commit.count).toBeGreaterThan(0.9 * Number(rows))
  expect(commit.count).toBeLessThanOrEqual(Number(rows))
  expect(levels[0].median_seconds).toBeGreaterThan(0.005)
  expect(levels[0].median_seconds).toBeLessThan(0.2)
  expect(open_writers.look_count).toBeGreaterThan(5)
  expect(overlap_origin).toMatch(/^learned: p99\.9|default: \d+ of 2995/)
  const shown = await run('lateness', 'public.orders')
  expect(shown.stdout).toContain('rows by lateness')
  expect(shown.stdout).toContain('margin without a fence')

  const review = await run('review', '--multiplier', '10', '--json')
  const [stream] = review.json.streams
  expect(stream.head).toMatch(/^busiest minute .*: .* rows a second/)
  const row = (name: string) => stream.rows.find((each: { name: string }) => each.name === name)
  expect(row('ties').verdict).toBe('ok')
  expect(row('page boundaries').figures[0].value).toBeGreaterThanOrEqual(9.4)
  expect(row('connections').verdict).toBe('ok')
  expect(row('run duration').figures.map((each: { value: number }) => each.value > 0)).toEqual([
    true,
    true,
    true,
  ])
  expect(row('fence hold').figures[0].value).toBeGreaterThanOrEqual(0)
  const reconcile = stream.answers.find((each: { rows: string }) => each.rows.startsWith('deleted'))
  expect(reconcile.check).toBeNull()
  expect(review.code).toBe(stream.breaking.length > 0 ? 3 : 0)
  const words = await run('review')
  expect(words.stdout).toContain(
    'Which rows that exist at the source now will no future run read, and what tells us?',
  )
  expect(words.stdout).toContain('nothing tells us')
}, 120_000)
