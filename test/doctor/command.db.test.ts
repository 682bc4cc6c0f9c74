import { copyFileSync, renameSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { change, createShop, type Workspace, workspace } from '../cli/support/program.ts'
import { openSession } from '../support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

function configure({ path }: Workspace, more: string): void {
  writeFileSync(
    path('plimsoll.yaml'),
    `source: { url: 'sqlite:shop.db' }
destination: { url: 'duckdb:shop.duckdb' }
tables:
  orders:
    position: { column: updated_at, stampedBy: database }
${more}`,
  )
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
const check = (json: any, name: string, table = 0) =>
  json.sources[0].tables[table].checks.find((each: { name: string }) => each.name === name)

describe('plimsoll doctor SOURCE', () => {
  test('looks at a database without a configuration, at every table that can be ordered', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 30)
    change(path('shop.db'), (db) => db.exec(`INSERT INTO nokey VALUES ('a', '2026-01-02 03:04:05')`))
    const looked = await run('doctor', 'sqlite:shop.db', '--json')
    expect(looked.code).toBe(3)
    const [source] = looked.json.sources
    expect(looked.json).toMatchObject({ ok: false, command: 'doctor' })
    expect(source.identity.engine).toBe('sqlite')
    expect(
      source.tables.map(({ table, position, key }: Record<string, unknown>) => [table, position, key]),
    ).toEqual([
      ['main.nokey', 'updated_at', []],
      ['main.orders', 'updated_at', ['order_id']],
    ])
    expect(source.left_out).toEqual([{ table: 'main.floats', why: expect.stringContaining('no column') }])
    expect(check(looked.json, 'key')).toMatchObject({ severity: 'blocker' })
    expect(check(looked.json, 'L2', 1)).toMatchObject({
      severity: 'warning',
      sentence:
        'Nothing in the database moves updated_at when a row changes (no trigger sets it): scripts change rows unseen.',
    })
    expect(source.changes).toBeNull()
    const named = await run('doctor', 'sqlite:shop.db', '--table', 'orders', '--table', 'nothing')
    expect(named.stdout).toContain('! main.orders  by updated_at, key order_id')
    expect(named.stdout).toContain('blocker position  no table main.nothing')
  })

  test('exits 0 where nothing is found, 4 where it could not look, and for a source that does not answer', async () => {
    const { run, path } = workspace()
    createShop(path('shop.db'), 30)
    change(path('shop.db'), (db) =>
      db.exec(`DROP TABLE nokey; CREATE TRIGGER touch AFTER UPDATE ON orders BEGIN
        UPDATE orders SET updated_at = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE rowid = NEW.rowid; END`),
    )
    const fine = await run('doctor', 'sqlite:shop.db')
    expect(fine.code, fine.stdout + fine.stderr).toBe(0)
    expect(fine.stdout).toMatch(
      /✓ main\.orders {2}by updated_at, key order_id\n {2}note L1 {3}Rows of main\.orders/,
    )
    expect(fine.stdout).toContain(
      'ok        L2 L3 L4 L5 L6 L7 L8 L11 L12 L13 L14 index key plan rights retention',
    )
    const blind = await run('doctor', 'sqlite:shop.db?mode=ro')
    expect(blind.code).toBe(4)
    expect(blind.stdout).toContain('unseen L1')
    expect((await run('doctor', 'sqlite:gone.db')).code).toBe(4)
    expect((await run('doctor', 'mongo:x')).code).toBe(2)
  })

  test('no output holds the password', async () => {
    const { run } = workspace()
    const url = new URL(await freshDatabase(postgresServers()[0]!, 'doctor password'))
    url.password = 'hunter222'
    const sql = await openSession(url.href)
    await sql('CREATE TABLE t (id int PRIMARY KEY, updated_at timestamptz)')
    const looked = await run('doctor', url.href)
    expect(looked.stdout).toContain('public.t')
    expect(looked.stdout + looked.stderr).not.toContain('hunter222')
  })
})

describe('with a configuration', () => {
  test('a blocker stops runs until it is gone, or accepted by name; the rest of the pipeline goes on', async () => {
    const here = workspace()
    const { run, path } = here
    createShop(path('shop.db'), 30)
    const words = (more: string) => `    laneMaxRows: 1\n${more}  others: { position: updated_at }\n`
    change(path('shop.db'), (db) =>
      db.exec(`CREATE TABLE others AS SELECT * FROM orders; DROP TABLE others;
        CREATE TABLE others (id INTEGER PRIMARY KEY, updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')));
        INSERT INTO orders (updated_at) VALUES ('yesterday'), ('today'), ('')`),
    )
    configure(here, words(''))
    expect((await run('run')).code).toBe(0)
    const looked = await run('doctor', '--json')
    expect(check(looked.json, 'L8')).toMatchObject({ severity: 'blocker', accepted: null })
    const stopped = await run('run', '--json')
    expect(stopped.code).toBe(7)
    const [failed, went] = stopped.json.results
    expect(failed.error).toMatchObject({
      code: 'STOPPED_BY_DOCTOR',
      message:
        'main.orders: L8: At least 1 row has no place in the order (1 and more malformed); no reader by position ever sees them.',
    })
    expect(failed.error.hint).toContain('accept: [{ check: L8, ')
    expect(went).toMatchObject({ stream: 'main.others', error: null })
    expect((await run('run', 'orders')).code).toBe(3)
    expect((await run('status')).stdout).toContain('STOPPED_BY_DOCTOR')

    configure(here, words("    accept: [{ check: L8, reason: 'drafts have no date', date: 2026-03-01 }]\n"))
    expect((await run('run')).code).toBe(0)
    const again = await run('doctor')
    expect(again.stdout).toContain('accepted L8')
    expect(again.stdout).toContain('accepted 2026-03-01: drafts have no date')

    configure(here, words(''))
    expect((await run('run')).code).toBe(7)
    change(path('shop.db'), (db) => db.exec(`DELETE FROM orders WHERE updated_at NOT LIKE '20%'`))
    expect((await run('run')).code).toBe(7)
    await run('doctor', '--table', 'orders')
    expect((await run('run')).code).toBe(0)
  })

  test('a result about another key or position stops nothing', async () => {
    const here = workspace()
    const { run, path } = here
    createShop(path('shop.db'), 30)
    change(path('shop.db'), (db) =>
      db.exec(`INSERT INTO orders (updated_at) VALUES ('yesterday'), ('today')`),
    )
    configure(here, '    laneMaxRows: 1\n')
    await run('run')
    await run('doctor')
    expect((await run('run')).code).toBe(3)
    configure(here, '    laneMaxRows: 1\n    appendOnly: true\n')
    expect((await run('run')).code).toBe(0)
  })

  test('what got worse is said, and an alarm until it is back', async () => {
    const here = workspace()
    const { run, path } = here
    createShop(path('shop.db'), 30)
    configure(here, '')
    expect((await run('run')).code).toBe(0)
    const first = await run('doctor')
    expect(first.stdout).not.toContain('since the last look')
    expect((await run('status')).stdout).not.toContain('doctor_changed')
    change(path('shop.db'), (db) =>
      db.exec(`UPDATE orders SET updated_at = '2038-01-19 03:14:07.000' WHERE order_id = 3`),
    )
    const second = await run('doctor', '--json')
    expect(second.json.sources[0].changes).toEqual([
      { table: 'main.orders', check: 'L5', before: 'ok', now: 'warning' },
    ])
    expect((await run('status')).stdout).toContain(
      'doctor_changed: L5 warning: 1 row is dated up to 2038-01-19 03:14:07.000;',
    )
    await run('doctor')
    change(path('shop.db'), (db) =>
      db.exec(
        `UPDATE orders SET updated_at = (SELECT substr(updated_at, 1, 20) || '777' FROM orders WHERE order_id = 2) WHERE order_id = 3`,
      ),
    )
    const third = await run('doctor')
    expect(third.stdout).toContain('since the last look: 1 change\n  main.orders L5: warning → ok')
    expect((await run('status')).stdout).not.toContain('doctor_changed')
  })

  test('another file under the address is found before a run meets it', async () => {
    const here = workspace()
    const { run, path } = here
    createShop(path('shop.db'), 30)
    configure(here, '')
    expect((await run('run')).code).toBe(0)
    expect(check((await run('doctor', '--json')).json, 'L11')).toMatchObject({
      severity: 'ok',
      sentence: expect.stringContaining('is the server that the claim of main.orders was made on.'),
    })
    copyFileSync(path('shop.db'), path('other.db'))
    renameSync(path('other.db'), path('shop.db'))
    const looked = check((await run('doctor', '--json')).json, 'L11')
    expect(looked.severity).toBe('blocker')
    expect(looked.sentence).toMatch(
      /^sqlite:\S+ is not the server the claim was made on \(sqlite \d+:\d+ main → sqlite \d+:\d+ main\)\.$/,
    )
    expect(looked.remedy).toMatch(/^plimsoll state rewind main\.orders --to start --reason /)
  })

  test('a word that is no check is refused', async () => {
    const here = workspace()
    configure(here, '    accept: [{ check: L99, reason: x, date: 2026-03-01 }]\n')
    const { code, stderr } = await here.run('doctor')
    expect(code).toBe(2)
    expect(stderr).toContain('tables.orders.accept.0.check')
  })
})
