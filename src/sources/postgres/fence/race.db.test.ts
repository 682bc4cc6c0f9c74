import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { BY_TIME, endSessions, Pull, session } from '../../../../test/support/fences.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { xidColumnSql } from './index.ts'

const WRITERS = 6
const RACE_MS = 2_500

const ORDERS = {
  P1: BY_TIME,
  P2: BY_TIME,
  N1: { ...BY_TIME, column: 'id', kind: 'integer', flavour: 'sequence' },
  P3: { ...BY_TIME, column: 'c', kind: 'xid8' },
} as const

/** Short; the race suite does the same for longer, with a destination. */
describe.each(postgresServers())('writers against fences, PostgreSQL $major', (server) => {
  afterEach(endSessions)

  test.each(Object.keys(ORDERS) as (keyof typeof ORDERS)[])('%s loses no row, overlap 0', async (method) => {
    const url = await freshDatabase(server, `race ${method}`)
    const admin = await session(url)
    await admin.query('CREATE TABLE t (id bigserial PRIMARY KEY, u timestamptz NOT NULL DEFAULT now())')
    for (const statement of xidColumnSql({ schema: 'public', name: 't' }, 'c').split(/;\n/)) {
      await admin.query(statement)
    }
    const end = performance.now() + RACE_MS
    const writers = Array.from({ length: WRITERS }, (_, i) => write(url, i, end))
    const pull = await Pull.open(url, { order: ORDERS[method] })
    const policy = { method, appendOnly: true, guardMs: 5, fenceSampleMs: 20, fenceWaitMs: 500 }
    let runCount = 0
    for (; performance.now() < end; runCount++) await pull.run(policy)
    await Promise.all(writers)
    await pull.runOut(policy)
    const { rows } = await admin.query('SELECT id::text FROM t')
    const lost = rows.filter(({ id }) => !pull.landed.has(id))
    expect(lost).toEqual([])
    expect(rows.length).toBeGreaterThan(50)
    expect(runCount).toBeGreaterThan(5)
    await pull.close()
  })

  /** Commits late, rolls back, prepares, holds savepoints: each in its turn. */
  async function write(url: string, writer: number, end: number): Promise<void> {
    const client = await session(url)
    for (let i = writer; performance.now() < end; i++) {
      await client.query('BEGIN')
      if (i % 3 === 0) await client.query('SAVEPOINT s')
      await client.query('INSERT INTO t DEFAULT VALUES')
      await sleep((i * 37) % 110)
      await client.query('INSERT INTO t DEFAULT VALUES')
      if (i % 5 === 1) await client.query('ROLLBACK')
      else if (i % 4 !== 2) await client.query('COMMIT')
      else {
        await client.query(`PREPARE TRANSACTION 'w${writer}-${i}'`)
        await sleep((i * 53) % 130)
        await client.query(`${i % 3 === 0 ? 'ROLLBACK' : 'COMMIT'} PREPARED 'w${writer}-${i}'`)
      }
    }
  }
})
