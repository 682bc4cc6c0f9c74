import { describe, expect, test } from 'vitest'
import {
  openSession,
  openSource,
  orderIn,
  readerRequest,
  tz,
} from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { parseTimestamp } from '../../../kernel/calendar.ts'

const at = (text: string) => tz(parseTimestamp(text)!)

describe.each(postgresServers())('plans of PostgreSQL $major', (server) => {
  test('PLAN-1: without an index the plan is refused and names it; with it neither scan nor sort', async () => {
    const url = await freshDatabase(server, 'plans')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, kind int, u timestamptz NOT NULL);
      INSERT INTO t SELECT g, g % 10, '2025-01-01'::timestamptz + g * interval '1 second' FROM generate_series(1, 110000) g;
      CREATE INDEX ON t (kind, u); ANALYZE t`)
    const source = openSource(url)
    const explain = async () => {
      const shape = await source.describe({ schema: 'public', name: 't' }, { column: 'u' })
      const range = { lower: at('2025-01-02 02:00:00'), upper: at('2025-01-02 02:10:00') }
      return source.explain(readerRequest(shape, orderIn(shape, 'u'), { queryMaxMs: 1_000 }), range)
    }
    const without = await explain()
    expect(without).toMatchObject({ sort: true })
    expect(without.obstacle).toContain('CREATE INDEX CONCURRENTLY ON "public"."t" ("u");')
    await sql('CREATE INDEX ON t (u)')
    const plan = await explain()
    expect(plan).toMatchObject({ sequentialScan: false, sort: false, obstacle: undefined })
    expect(plan.expectedRows).toBeGreaterThan(100)
    expect(plan.expectedRows).toBeLessThan(5_000)
    // TIE-2: half-open, with bounds of the column's own type.
    expect(plan.sql).toContain(
      `"u" >= '2025-01-02 02:00:00.000000+00'::timestamptz AND "u" < '2025-01-02 02:10:00.000000+00'::timestamptz`,
    )
    const [[text] = []] = await sql(`EXPLAIN (FORMAT JSON) ${plan.sql}`)
    expect(text).toMatch(/"Index Cond": "\(\(u >= '2025-01-02 02:00:00.*\) AND \(u </)
  })

  test('a first load hears of the missing index too; a small table needs none', async () => {
    const url = await freshDatabase(server, 'small plans')
    const sql = await openSession(url)
    await sql(
      `CREATE TABLE t (id int PRIMARY KEY, u timestamptz); INSERT INTO t SELECT g, now() FROM generate_series(1, 1000) g`,
    )
    const source = openSource(url)
    const shape = await source.describe({ schema: 'public', name: 't' }, { column: 'u' })
    const explain = (lower: string | undefined, fullScanMaxRows: number) =>
      source.explain(readerRequest(shape, orderIn(shape, 'u'), { fullScanMaxRows }), {
        lower: lower === undefined ? undefined : at(lower),
        upper: at('2025-01-02'),
      })
    expect(await explain('2025-01-01', 100_000)).toMatchObject({ sequentialScan: true, obstacle: undefined })
    expect((await explain(undefined, 10)).obstacle).toContain('CREATE INDEX')
  })
})
