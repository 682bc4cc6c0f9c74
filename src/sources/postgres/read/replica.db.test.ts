import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installedMajors, type PostgresServer, startPostgres } from '../../../../scripts/servers/postgres.ts'
import {
  collect,
  openSession,
  openSource,
  orderIn,
  readerRequest,
  tz,
} from '../../../../test/support/postgres-source.ts'

const ALL = { kind: 'range', range: { lower: undefined, upper: tz(10n ** 16n) } } as const

describe.each(installedMajors())('a replica of PostgreSQL $major', ({ which }) => {
  let primary: PostgresServer
  let replica: PostgresServer

  beforeAll(async () => {
    primary = await startPostgres({ which })
    replica = await primary.createReplica()
  })
  afterAll(async () => {
    await replica?.dispose()
    await primary?.dispose()
  })

  const setUp = async (name: string) => {
    const sql = await openSession(primary.url)
    const onReplica = await openSession(replica.url)
    await sql(`CREATE TABLE ${name} (id int PRIMARY KEY, u timestamptz NOT NULL)`)
    const source = openSource(primary.url, { replicaUrl: replica.url })
    const shape = await source.describe({ schema: 'public', name }, { column: 'u' })
    const request = readerRequest(shape, orderIn(shape, 'u'))
    const written = async () => (await source.identity()).logPosition
    return { sql, onReplica, source, request, written }
  }

  test('IDENT-3: the snapshot waits for the position, and is held while replay stands still', async () => {
    const { sql, onReplica, source, request, written } = await setUp('waiting')
    await expect.poll(() => onReplica(`SELECT to_regclass('waiting')`)).toEqual([['waiting']])
    await onReplica('SELECT pg_wal_replay_pause()')
    await sql(`INSERT INTO waiting SELECT g, now() FROM generate_series(1, 500) g`)
    const position = await written()
    const short = { ...request, after: position, replicaWaitMs: 300 }
    await expect(source.openReader(short)).rejects.toMatchObject({ code: 'REPLICA_BEHIND' })
    const opening = source.openReader({ ...request, after: position, replicaWaitMs: 20_000 })
    await onReplica('SELECT pg_wal_replay_resume()')
    const reader = await opening
    const stream = reader.read(ALL)
    stream.bytes.resume()
    expect((await stream.done).rowCount).toBe(500)
    expect(reader.logPosition?.timeline).toBe(position?.timeline)
    expect(reader.snapshotId).toMatch(/^\d+:\d+:/)
    await reader.close()
  })

  test('OWN-7: after a log switch on an idle primary the wait ends within seconds', async () => {
    const { sql, source, request, written } = await setUp('idle')
    await sql('CHECKPOINT')
    await sql('SELECT pg_switch_wal()')
    const position = await written()
    expect(Number.parseInt(position!.text.split('/')[1]!, 16) % 8192).toBe(40)
    const reader = await source.openReader({ ...request, after: position, replicaWaitMs: 5_000 })
    expect(await collect(reader.read(ALL).bytes)).toBe('')
    await reader.close()
  })

  test('identity names the replica, and both are on one timeline', async () => {
    const { source } = await setUp('names')
    const identity = await source.identity()
    expect(identity).toMatchObject({ engine: 'postgres', database: 'postgres', timeline: '00000001' })
    expect(identity.id).toMatch(/^\d{15,}$/)
    expect(identity.replica).toContain(identity.id)
    const standby = await openSource(replica.url).identity()
    expect(standby).toMatchObject({ id: identity.id, timeline: '00000001' })
  })

  test('a primary that has not written so far went back', async () => {
    const { source, sql } = await setUp('back')
    await sql('INSERT INTO back VALUES (1, now())')
    const alone = openSource(primary.url)
    const shape = await alone.describe({ schema: 'public', name: 'back' }, { column: 'u' })
    const ahead = { timeline: '00000001', text: 'FFFFFF/0' }
    const request = readerRequest(shape, orderIn(shape, 'u'), { after: ahead })
    await expect(alone.openReader(request)).rejects.toMatchObject({ code: 'SOURCE_WENT_BACK' })
    await expect(source.openReader({ ...request, replicaWaitMs: 50 })).rejects.toMatchObject({
      code: 'REPLICA_BEHIND',
    })
  })
})
