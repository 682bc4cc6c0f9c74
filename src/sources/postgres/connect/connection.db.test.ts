import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSession, openSource } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { Pool } from './pool.ts'

const pool = (url: string): Pool => {
  const made = new Pool(url)
  onTestFinished(() => made.close())
  return made
}

describe.each(postgresServers())('connections to PostgreSQL $major', (server) => {
  test('a socket in a folder and sslmode=prefer reach a server without encryption', async () => {
    const url = await freshDatabase(server, 'ways')
    const sql = await openSession(url)
    const [[folder] = []] = await sql('SHOW unix_socket_directories')
    const { port, pathname } = new URL(url)
    for (const way of [
      `${url}?sslmode=prefer`,
      `${url}?sslmode=disable`,
      `postgresql://postgres@:${port}${pathname}?host=${folder}`,
      `postgres://postgres@${pathname}?host=${folder}&port=${port}`,
    ]) {
      const [row] = await pool(way).ask('SELECT current_database() AS d')
      expect(row?.d, way).toBe(pathname.slice(1))
    }
    await expect(pool(`${url}?sslmode=require`).ask('SELECT 1')).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
    })
  })

  test('a session prints the same whatever the role is set to, and writes nothing', async () => {
    const url = await freshDatabase(server, 'session')
    const sql = await openSession(url)
    const [[database] = []] = await sql('SELECT current_database()')
    await sql(`ALTER DATABASE ${database} SET timezone = 'Asia/Tokyo'; ALTER DATABASE ${database} SET datestyle = 'German';
      ALTER DATABASE ${database} SET bytea_output = 'escape'; ALTER DATABASE ${database} SET extra_float_digits = -5;
      CREATE TABLE t (n int)`)
    const ours = pool(url)
    const [row] = await ours.ask(
      `SELECT '2025-01-02 00:00Z'::timestamptz AS t, '\\x01'::bytea AS b, 0.1::float8 + 0.2 AS f, true AS y`,
    )
    expect(row).toEqual({ t: '2025-01-02 00:00:00+00', b: '\\x01', f: '0.30000000000000004', y: 't' })
    await expect(ours.ask('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ context: { state: '25006' } })
    const [[name] = []] = await sql(
      `SELECT application_name FROM pg_stat_activity WHERE pid = ${ours.backendPids()[0]}`,
    )
    expect(name).toBe('plimsoll')
  })

  test('a lost session is replaced, and questions asked at once share one', async () => {
    const url = await freshDatabase(server, 'replaced')
    const sql = await openSession(url)
    const ours = pool(url)
    await Promise.all(Array.from({ length: 20 }, () => ours.ask('SELECT 1')))
    const [pid] = ours.backendPids()
    expect(ours.backendPids()).toHaveLength(1)
    await sql(`SELECT pg_terminate_backend(${pid})`)
    await expect.poll(() => ours.backendPids()).toHaveLength(0)
    await Promise.all([ours.ask('SELECT 1'), ours.ask('SELECT 1')])
    expect(ours.backendPids()).toHaveLength(1)
    expect(ours.backendPids()[0]).not.toBe(pid)
  })

  test('errors have a code, name the place and never the password', async () => {
    const url = await freshDatabase(server, 'errors')
    const at = new URL(url)
    at.password = 'geheim'
    const fails = async (change: (url: URL) => void) => {
      const other = new URL(at)
      change(other)
      const error = await pool(other.href)
        .ask('SELECT 1')
        .catch((failure: unknown) => failure)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error)).not.toContain('geheim')
      return error as { code: string; message: string }
    }
    const refused = await fails((other) => {
      other.port = '1'
    })
    expect(refused).toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:1/'),
    })
    const unknown = await fails((other) => {
      other.hostname = 'no-such-host.invalid'
    })
    expect(unknown).toMatchObject({ code: 'SOURCE_UNAVAILABLE' })
    expect(
      await fails((other) => {
        other.username = 'nobody_here'
      }),
    ).toMatchObject({ code: 'SOURCE_AUTH_FAILED' })
    expect(
      await fails((other) => {
        other.pathname = '/not_there'
      }),
    ).toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(pool(url).ask('SELECT * FROM gone')).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' })
  })

  test('a role without rights is told what to grant; one without the system identifier still has an identity', async () => {
    const url = await freshDatabase(server, 'rights')
    const sql = await openSession(url)
    const role = `limited_${server.major}_${Math.floor(performance.now())}`
    await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz); CREATE ROLE ${role} LOGIN;
      REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public`)
    const asRole = new URL(url)
    asRole.username = role
    await expect(pool(asRole.href).ask('SELECT * FROM t')).rejects.toMatchObject({
      code: 'SOURCE_AUTH_FAILED',
      hint: expect.stringContaining('GRANT'),
    })
    const identity = await openSource(asRole.href).identity()
    expect(identity.id).toMatch(/^address:127\.0\.0\.1:\d+\/\d+$/)
    expect(identity.logPosition?.text).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/)
    expect(identity.timeline).toBe('00000001')
    const whole = await openSource(url).identity()
    expect(whole.id).toMatch(/^\d{15,}$/)
    await sql(`DROP ROLE ${role}`)
  })
})

test('a server that never answers is given up', { timeout: 20_000 }, async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const { port } = silent.address() as { port: number }
  await expect(pool(`postgres://u@127.0.0.1:${port}/d`).ask('SELECT 1')).rejects.toMatchObject({
    code: 'SOURCE_UNAVAILABLE',
  })
})
