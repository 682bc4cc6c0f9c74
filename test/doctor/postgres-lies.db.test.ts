import { beforeAll, describe, expect, test } from 'vitest'
import type { PostgresServer } from '../../scripts/servers/postgres.ts'
import { streamSettings } from '../support/engine.ts'
import { openSession } from '../support/postgres-source.ts'
import { freshDatabase, ownServer, postgresServers } from '../support/servers.ts'
import { lookAt, said } from './scene.ts'

/** One that keeps commit times, as the lies of time need. */
let server: PostgresServer
beforeAll(async () => {
  server = await ownServer({ track_commit_timestamp: 'on', max_prepared_transactions: 5 })
})

const ORDERS = `CREATE TABLE orders (id bigint PRIMARY KEY, updated_at timestamptz NOT NULL DEFAULT now(), note text);
  CREATE INDEX ON orders (updated_at);`
const TOUCH = `CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.updated_at := now(); RETURN NEW; END';
  CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION touch();`
const DECLARED = streamSettings('public.orders', {
  position: { column: 'updated_at', stampedBy: 'database' },
})

async function database(name: string, statements: string) {
  const url = await freshDatabase(server, name)
  const sql = await openSession(url)
  await sql(statements)
  return { url, sql }
}

test('a table without a lie: every check was made, and none found anything', async () => {
  const { url } = await database('honest', `${ORDERS} ${TOUCH}`)
  const sql = await openSession(url)
  for (let i = 0; i < 30; i++) await sql(`INSERT INTO orders (id) VALUES (${i})`)
  const { all } = await lookAt(url, DECLARED)
  const checks = [...all.checks, ...all.tables[0]!.checks]
  const found = checks.filter(({ severity }) => severity !== 'ok' && severity !== 'note')
  expect(found).toEqual([])
  expect(checks.map(({ name }) => name)).toEqual([
    ...['L9', 'rights', 'clock', 'replica', 'retention'],
    ...['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8', 'L10', 'L11', 'L12', 'L13', 'L14'],
    ...['index', 'key', 'plan', 'rights', 'retention'],
  ])
  expect(all.tables[0]).toMatchObject({ table: 'public.orders', position: 'updated_at', key: ['id'] })
})

describe('L1, stamped before it can be seen', () => {
  test('a commit far later than half of the overlap warns, with the loss of a reader of the largest', async () => {
    const { url, sql } = await database('late', ORDERS)
    await sql(`INSERT INTO orders SELECT g, now() - g * interval '0.7 s' FROM generate_series(1, 300) g`)
    const { of } = await lookAt(url, DECLARED)
    expect(of('L1').severity).toBe('warning')
    expect(of('L1').sentence).toMatch(
      /^Rows of public\.orders become visible up to 3 min 30 s after their stamp \(p99 3 min 27 s, 300 rows\)\. The fence covers this; a reader of max\(updated_at\) would lose about \d+(\.\d+)? rows a run\.$/,
    )
    // Half of the rows of 210 s are in flight at the busiest rate of 86 a minute, and most are passed by one seen before.
    expect(Number(of('L1').figures.expected_loss)).toBeGreaterThan(100)
    expect(Number(of('L1').figures.expected_loss)).toBeLessThan(151)
    expect(of('L1').remedy).toMatch(/^overlap: \{ fixed: (\d+s|\d+m) \} {3}# only where no fence is taken$/)
  })

  test('without commit times it says how many facts it has', async () => {
    const url = await freshDatabase(postgresServers()[0]!, 'late unkept')
    const sql = await openSession(url)
    await sql(`${ORDERS} INSERT INTO orders VALUES (1)`)
    const { of } = await lookAt(url, DECLARED)
    expect(said(of('L1'))).toMatch(
      /^note: How late rows of public\.orders become visible is not kept: 0 rows with a commit time, (no other transaction is open now|\d+ transactions? (is|are) open now, the oldest for .+)\. The fence covers this; what a reader of max\(updated_at\) would lose cannot be said\.$/,
    )
    expect(of('L1').remedy).toContain('track_commit_timestamp = on')
  })

  test('rows that commit at once make a note of it', async () => {
    const { url, sql } = await database('prompt', ORDERS)
    await sql('INSERT INTO orders VALUES (1)')
    const { of } = await lookAt(url, DECLARED)
    expect(said(of('L1'))).toMatch(
      /^note: .* become visible up to [\d.]+ ms after .*\(p99 not enough: 1 of 299, 1 row\)/,
    )
  })
})

describe('L2, not moved by every change', () => {
  const why = async (name: string, more: string): Promise<string> => {
    const { url } = await database(name, `${ORDERS} ${more}`)
    const { of } = await lookAt(url, DECLARED)
    return said(of('L2'))
  }
  const found = (because: string) =>
    `warning: Nothing in the database moves updated_at when a row changes (${because}): scripts change rows unseen.`

  test('no trigger, a disabled one, one for replayed changes, one for some changes', async () => {
    expect(await why('unmoved', '')).toBe(found('no trigger sets it'))
    expect(await why('disabled', `${TOUCH} ALTER TABLE orders DISABLE TRIGGER touch`)).toBe(
      found('the trigger touch is disabled'),
    )
    expect(await why('replayed', `${TOUCH} ALTER TABLE orders ENABLE REPLICA TRIGGER touch`)).toBe(
      found('the trigger touch fires for replayed changes only'),
    )
    const some = TOUCH.replace('INSERT OR UPDATE ON', 'UPDATE OF note ON')
    expect(await why('some changes', some)).toBe(found('the trigger touch fires at some changes only'))
    const reading = TOUCH.replace('NEW.updated_at := now();', 'IF NEW.updated_at IS NULL THEN RAISE; END IF;')
    expect(await why('reading only', reading)).toBe(found('no trigger sets it'))
  })

  test('a trigger that fires whenever anything changed; a declared append-only table', async () => {
    const any = TOUCH.replace('INSERT OR UPDATE', 'UPDATE').replace(
      'EXECUTE',
      'WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE',
    )
    expect(await why('moved', any)).toBe(
      'ok: The trigger touch moves updated_at whenever a row of public.orders changes.',
    )
    const { url } = await database('appended', ORDERS)
    const { of } = await lookAt(url, { ...DECLARED, appendOnly: true })
    expect(said(of('L2'))).toBe('ok: Rows of public.orders are declared to be never updated.')
  })

  test('the remedy, pasted, cures it', async () => {
    const { url, sql } = await database('cured', ORDERS)
    const before = await lookAt(url, DECLARED)
    await sql(before.of('L2').remedy!)
    await sql(`SET session_replication_role = replica; INSERT INTO orders VALUES (1, 'epoch')`)
    expect((await sql(`SELECT updated_at > now() - interval '1 h' FROM orders`))[0]).toEqual(['t'])
    const { of } = await lookAt(url, DECLARED)
    expect(of('L2')).toMatchObject({ severity: 'ok', figures: {} })
  })
})

test('L3, coarse: ties of the last day, and what a page boundary inside one would cost', async () => {
  const { url, sql } = await database('coarse', ORDERS)
  await sql(`INSERT INTO orders SELECT g, date_trunc('second', now()) - (CASE WHEN g <= 5 THEN 1 WHEN g <= 10 THEN 2 WHEN g <= 14 THEN 3
    WHEN g <= 17 THEN 4 ELSE g END) * interval '1 second' FROM generate_series(1, 20) g`)
  const { of } = await lookAt(url, DECLARED)
  // The group sizes of load-forecast L7: 5, 5, 4, 3, 1, 1, 1.
  expect(said(of('L3'))).toBe(
    'note: Up to 5 rows share one second; each page boundary inside a tie would cost a reader with `>` 1.45 rows.',
  )
  await sql(`DELETE FROM orders WHERE id NOT IN (1, 6, 11)`)
  expect(said((await lookAt(url, DECLARED)).of('L3'))).toBe(
    'ok: No two of 3 rows of public.orders share one updated_at.',
  )
})

describe('L4, written in the past', () => {
  test('by commit times: an import that came first is none, an old date among newer ones is', async () => {
    const { url, sql } = await database('past', ORDERS)
    await sql(
      `INSERT INTO orders SELECT g, now() - (1000 - g) * interval '1 day' FROM generate_series(1, 900) g`,
    )
    expect(said((await lookAt(url, DECLARED)).of('L4'))).toBe(
      'ok: No row of public.orders carries a date older than everything written before it (by commit times).',
    )
    await sql(`INSERT INTO orders VALUES (88213, '2025-09-01Z'), (88214, '2025-09-01Z')`)
    const { of } = await lookAt(url, DECLARED)
    expect(said(of('L4'))).toMatch(
      /^warning: 2 rows carry dates older than everything written before them \(latest: 8821[34], dated 2025-09-01 00:00:00Z, written about 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d+Z\)\.$/,
    )
    expect(of('L4').remedy).toBe('plimsoll audit public.orders --full')
  })

  test('by keys that grow, where no commit times are kept; dates that updates move tell nothing', async () => {
    const url = await freshDatabase(postgresServers()[0]!, 'past by key')
    const sql = await openSession(url)
    await sql(
      `${ORDERS} INSERT INTO orders SELECT g, '2026-01-01Z'::timestamptz + g * interval '1 minute' FROM generate_series(1, 500) g`,
    )
    expect(said((await lookAt(url, DECLARED)).of('L4'))).toBe(
      'ok: No row of public.orders carries a date older than everything written before it (by keys that grow).',
    )
    await sql(`UPDATE orders SET updated_at = '2025-09-01Z' WHERE id = 300`)
    expect(said((await lookAt(url, DECLARED)).of('L4'))).toBe(
      'warning: At least 1 row carries a date older than everything written before it (latest: 300, dated 2025-09-01 00:00:00Z, written about 2026-01-01 04:10:00Z).',
    )
    // A block of updates ends somewhere: the next row is older than the fifty before it, and so are those after it.
    await sql(`UPDATE orders SET updated_at = '2026-01-01Z'::timestamptz + id * interval '1 minute';
      UPDATE orders SET updated_at = '2026-02-01Z' WHERE id <= 200`)
    expect((await lookAt(url, DECLARED)).of('L4').severity).toBe('ok')
    await sql(
      `UPDATE orders SET updated_at = '2026-02-01Z'::timestamptz + (id * 7919 % 500) * interval '1 day'`,
    )
    expect(said((await lookAt(url, DECLARED)).of('L4'))).toBe(
      'note: Whether rows of public.orders carry old dates cannot be told: no commit times are kept, and no key grows in the order of the dates.',
    )
  })
})

test('L5, written in the future, and for ever', async () => {
  const { url, sql } = await database('future', `${ORDERS} INSERT INTO orders VALUES (1)`)
  expect(said((await lookAt(url, DECLARED)).of('L5'))).toBe(
    'ok: No row of public.orders is dated later than the clock of the source.',
  )
  await sql(`INSERT INTO orders VALUES (2, '2038-01-19 03:14:07Z'), (3, '2030-01-01Z')`)
  const dated = (await lookAt(url, DECLARED)).of('L5')
  expect(said(dated)).toBe(
    'warning: 2 rows are dated up to 2038-01-19 03:14:07Z; a mark taken from max(updated_at) would stand there for good.',
  )
  expect((await sql(dated.remedy!)).map(([id]) => id)).toEqual(['2', '3'])
  await sql(`INSERT INTO orders VALUES (4, 'infinity')`)
  expect(said((await lookAt(url, DECLARED)).of('L5'))).toBe(
    'warning: 3 rows are dated up to infinity; a mark taken from max(updated_at) would stand there for good.',
  )
})

test('L6, many clocks: who stamps ahead of the database', async () => {
  const { url, sql } = await database(
    'clocks',
    `${ORDERS} ALTER TABLE orders ADD updated_by text; INSERT INTO orders VALUES (1)`,
  )
  expect(said((await lookAt(url, DECLARED)).of('L6'))).toBe(
    'ok: No writer of public.orders stamps ahead of the database by more than the guard.',
  )
  await sql(
    `INSERT INTO orders VALUES (2, clock_timestamp() + interval '40 s', '', 'till''7'), (3, clock_timestamp() + interval '8 s', '', 'b')`,
  )
  const { of } = await lookAt(url, DECLARED)
  expect(said(of('L6'))).toMatch(
    /^warning: Writer till'7 stamps (40|39\.\d) s ahead of the database\. 1 more do so by less\.$/,
  )
  expect(of('L6').remedy).toBe(
    'position: { column: updated_at, stampedBy: application }   # and overlap: { fixed: 5min } or more',
  )
})

describe('L7, wall time', () => {
  const WALL = `CREATE TABLE orders (id bigint PRIMARY KEY, updated_at timestamp NOT NULL);
    CREATE INDEX ON orders (updated_at);`

  test('without a declared zone it stops, and the others are looked at as far as they go', async () => {
    const { url } = await database(
      'wall',
      `${WALL} INSERT INTO orders VALUES (1, now() AT TIME ZONE 'Asia/Tokyo')`,
    )
    const { of } = await lookAt(url, streamSettings('public.orders'))
    expect(said(of('L7'))).toBe(
      'blocker: updated_at has no zone and runs 36 quarter hours from UTC; which hour repeats is not known.',
    )
    expect(said(of('L5'))).toBe(
      'note: updated_at cannot be compared with a clock until its zone is declared (L7).',
    )
    expect(said(of('L3'))).toBe('ok: No two of 1 row of public.orders share one updated_at.')
  })

  test('with one it names the hour that repeats and the rows in it', async () => {
    const { url, sql } = await database('zoned', WALL)
    const [[date = ''] = []] = await lastFoldInBerlin(sql)
    await sql(
      `INSERT INTO orders SELECT g, '${date} 02:00'::timestamp + g * interval '5 min' FROM generate_series(0, 15) g`,
    )
    const zoned = streamSettings('public.orders', {
      position: { column: 'updated_at', zone: 'Europe/Berlin' },
    })
    const { of } = await lookAt(url, zoned)
    expect(said(of('L7'))).toBe(
      `note: updated_at has no zone and has no row that is new enough to show one; 02:00 repeats on ${date} with 12 rows.`,
    )
    const utc = streamSettings('public.orders', { position: { column: 'updated_at', zone: 'UTC' } })
    expect(said((await lookAt(url, utc)).of('L7'))).toMatch(/^note: .*; no hour repeats in UTC\.$/)
  })

  const lastFoldInBerlin = (sql: (text: string) => Promise<string[][]>) =>
    sql(`SELECT max(x)::date FROM generate_series(now() - interval '400 days', now(), interval '1 hour') x
      WHERE x AT TIME ZONE 'Europe/Berlin' <= (x - interval '1 hour') AT TIME ZONE 'Europe/Berlin'`)

  test('a moment is one whatever the zone', async () => {
    const { url } = await database('moment', `${ORDERS} INSERT INTO orders VALUES (1)`)
    expect(said((await lookAt(url, DECLARED)).of('L7'))).toBe(
      'ok: The positions of public.orders are moments, whatever the zone.',
    )
  })
})

test('L8, no place in the order: a warning, and a blocker above the limit', async () => {
  const { url, sql } = await database(
    'lanes',
    `${ORDERS} ALTER TABLE orders ALTER updated_at DROP NOT NULL; INSERT INTO orders VALUES (1)`,
  )
  expect(said((await lookAt(url, DECLARED)).of('L8'))).toBe(
    'ok: Every row of public.orders has a place in the order.',
  )
  await sql(`INSERT INTO orders VALUES (2, NULL), (3, NULL), (4, '-infinity'), (5, '0044-03-15 BC')`)
  expect(said((await lookAt(url, DECLARED)).of('L8'))).toBe(
    'warning: 4 rows have no place in the order (2 null, 1 neg_infinity, 1 bc); no reader by position ever sees them.',
  )
  const few = { ...DECLARED, limits: { ...DECLARED.limits, laneMaxRows: 1 } }
  expect(said((await lookAt(url, few)).of('L8'))).toBe(
    'blocker: At least 3 rows have no place in the order (1 and more null, 1 neg_infinity, 1 bc); no reader by position ever sees them.',
  )
})

test('L10, silent deletes: counted by the server', async () => {
  const { url, sql } = await database(
    'deletes',
    `${ORDERS} INSERT INTO orders SELECT g FROM generate_series(1, 9) g`,
  )
  expect(said((await lookAt(url, DECLARED)).of('L10'))).toBe(
    'ok: No row of public.orders is known to have been deleted.',
  )
  await sql('DELETE FROM orders WHERE id < 4')
  await sql('SELECT pg_stat_force_next_flush()')
  const { of } = await lookAt(url, DECLARED)
  expect(said(of('L10'))).toBe(
    'warning: 3 rows were deleted since the statistics began; updated_at cannot show it.',
  )
  expect(of('L10').remedy).toMatch(/^plimsoll reconcile public\.orders /)
})

test('L12, a key that changes: followed, or following', async () => {
  const { url, sql } = await database(
    'cascades',
    `${ORDERS} CREATE TABLE lines (n int PRIMARY KEY, o bigint REFERENCES orders, note text)`,
  )
  expect(said((await lookAt(url, DECLARED)).of('L12'))).toBe(
    'ok: No foreign key carries a change of the key of public.orders on.',
  )
  await sql('ALTER TABLE lines ADD CONSTRAINT l FOREIGN KEY (o) REFERENCES orders ON UPDATE CASCADE')
  expect(said((await lookAt(url, DECLARED)).of('L12'))).toBe(
    'warning: The key of public.orders can change: public.lines follows it with ON UPDATE CASCADE.',
  )
  await sql(`DROP TABLE lines; CREATE TABLE people (id bigint PRIMARY KEY);
    ALTER TABLE orders ADD FOREIGN KEY (id) REFERENCES people ON UPDATE CASCADE`)
  expect(said((await lookAt(url, DECLARED)).of('L12'))).toBe(
    'warning: The key of public.orders can change: it follows that of public.people with ON UPDATE CASCADE.',
  )
})

test('L13, changed on the way: a position that is another at every look', async () => {
  const { url, sql } = await database(
    'round trip',
    `${ORDERS} INSERT INTO orders VALUES (1, '2026-01-02 03:04:05.678901Z')`,
  )
  expect(said((await lookAt(url, DECLARED)).of('L13'))).toBe(
    'ok: The largest updated_at, 2026-01-02 03:04:05.678901Z, comes back as it was sent.',
  )
  await sql(
    `ALTER TABLE orders RENAME TO kept; CREATE VIEW orders AS SELECT id, clock_timestamp() AS updated_at FROM kept`,
  )
  const settings = { ...DECLARED, key: ['id'] }
  expect(said((await lookAt(url, settings)).of('L13'))).toMatch(
    /^blocker: updated_at does not come back as sent: 20\d\d-\d\d-\d\d [\d:.]+Z finds 0 rows\.$/,
  )
})

describe('L14, a part for the whole', () => {
  test('a view, and a materialized one', async () => {
    const { url, sql } = await database(
      'views',
      `${ORDERS} INSERT INTO orders VALUES (1); CREATE VIEW v AS SELECT * FROM orders WHERE note IS NULL;
      CREATE MATERIALIZED VIEW m AS SELECT * FROM orders`,
    )
    const settings = (name: string) =>
      streamSettings(name, { key: ['id'], position: { column: 'updated_at' } })
    expect(said((await lookAt(url, settings('public.v'))).of('L14'))).toBe(
      'blocker: What this role sees of public.v is filtered (it is a view): rows that leave the filter leave unseen.',
    )
    expect(said((await lookAt(url, settings('public.m'))).of('L14'))).toContain('(it is a materialized view)')
    expect(said((await lookAt(url, DECLARED)).of('L14'))).toBe('ok: This role sees public.orders as a whole.')
    await sql('SELECT 1')
  })

  test('a policy: the figures that need rows could not be looked at', async () => {
    const { url, sql } = await database(
      'policy',
      `${ORDERS} INSERT INTO orders VALUES (1);
      ALTER TABLE orders ENABLE ROW LEVEL SECURITY; CREATE POLICY "mine only" ON orders USING (note IS NULL);
      DROP ROLE IF EXISTS doctor_reader; CREATE ROLE doctor_reader LOGIN; GRANT SELECT ON orders TO doctor_reader`,
    )
    const asReader = new URL(url)
    asReader.username = 'doctor_reader'
    const { of } = await lookAt(asReader.href, DECLARED)
    expect(said(of('L14'))).toBe(
      'blocker: What this role sees of public.orders is filtered (policy mine only): rows that leave the filter leave unseen.',
    )
    expect(of('L14').remedy).toBe('ALTER ROLE "doctor_reader" BYPASSRLS;')
    expect(said(of('position'))).toContain('could_not_look: ')
    await sql('ALTER ROLE doctor_reader BYPASSRLS')
    const after = await lookAt(asReader.href, DECLARED)
    expect([after.of('L14').severity, after.of('L8').severity]).toEqual(['ok', 'ok'])
    await sql('DROP OWNED BY doctor_reader; DROP ROLE doctor_reader')
  })
})
