import { connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { setupOn } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import { failure } from '../../testing/destination-expect.ts'
import { at } from '../../testing/destination-rows.ts'
import { inScene, type Scene, testContext } from '../../testing/destination-setup.ts'
import { ordersTable, startStream, type TestStream } from '../../testing/destination-stream.ts'
import type { Destination } from '../destination.ts'
import { connector } from './index.ts'

const ROWS = [
  ['1', '2026-03-01 10:00:00', 'a'],
  ['2', '2026-03-01 10:00:00', 'b'],
]
const UPPER = at('2026-03-03')

/** What happens to a COMMIT on its way: dropped, delivered without an answer, or delivered late without an answer. */
type Fate = 'dropped' | 'unanswered' | 'late'
const LATE_MS = 700

describe.each(postgresServers())(
  'the reply to COMMIT is lost on PostgreSQL $major (E59, STATE-6)',
  (server) => {
    const setup = setupOn(server)

    test('after the commit: the receipt is found, and the rows are there once', () =>
      inScene(setup, 'commit unanswered', (scene) =>
        losing(scene, 'unanswered', async (stream, direct) => {
          const found = await direct.receiptOf(stream.table.stream, 'lost')
          expect(found).toMatchObject({ batchId: 'lost', inserted: 2, rowsRead: 2 })
          expect(await stream.rows()).toEqual(ROWS)
          expect((await direct.claim(stream.table.stream))?.watermark).toEqual(UPPER)
        }),
      ))

    test('before the commit: no receipt, no rows, and the slice lands again', () =>
      inScene(setup, 'commit dropped', (scene) =>
        losing(scene, 'dropped', async (stream, direct) => {
          expect(await direct.receiptOf(stream.table.stream, 'lost')).toBeUndefined()
          expect(await stream.rows()).toEqual([])
          const again = await startStream(scene, direct, stream.table)
          await again.land(ROWS, { upper: UPPER })
          expect(await stream.rows()).toEqual(ROWS)
        }),
      ))

    test('still on its way: the question waits for the old transaction', () =>
      inScene(setup, 'commit late', (scene) =>
        losing(scene, 'late', async (stream, direct) => {
          expect(await direct.receiptOf(stream.table.stream, 'lost')).toMatchObject({ batchId: 'lost' })
          expect(await stream.rows()).toEqual(ROWS)
        }),
      ))

    test.each(['nothing_there', 'anything'] as const)(
      'a backend killed while landing leaves nothing (%s)',
      (known) =>
        inScene(setup, 'backend killed', async (scene) => {
          const stream = await startStream(
            scene,
            await scene.open(async (name) => {
              if (name !== 'land.merged') return
              await scene.store.execute!(
                `select pg_terminate_backend(pid, 5000) from pg_stat_activity
             where application_name = 'plimsoll' and datname = current_database() and state = 'idle in transaction'`,
              )
            }),
            ordersTable(scene),
          )
          await failure('DESTINATION_UNAVAILABLE', stream.land(ROWS, { batchId: 'lost', known }))
          expect(await stream.rows()).toEqual([])
          expect(await stream.destination.receiptOf(stream.table.stream, 'lost')).toBeUndefined()
        }),
    )
  },
)

/** Lands through a proxy that loses the COMMIT's reply, then looks from a direct connection. */
async function losing(
  scene: Scene,
  fate: Fate,
  look: (stream: TestStream, direct: Destination) => Promise<void>,
): Promise<void> {
  const direct = await scene.open()
  const table = ordersTable(scene)
  const stream = await startStream(scene, direct, table)
  const proxy = await startProxy(new URL(scene.store.url), fate)
  const through = await connector.open({ url: proxy.url, context: testContext(() => {}) })
  try {
    const far = await startStream(scene, through, table)
    proxy.arm()
    const error = await failure('DESTINATION_UNAVAILABLE', far.land(ROWS, { batchId: 'lost', upper: UPPER }))
    expect(error.context).toMatchObject({ commit: 'unknown', batchId: 'lost' })
    await look(stream, direct)
  } finally {
    await through.close()
    proxy.server.close()
  }
}

/** Passes bytes both ways; once armed, what happens to a COMMIT is decided by `fate`. */
async function startProxy(
  target: URL,
  fate: Fate,
): Promise<{ url: string; server: Server; arm: () => void }> {
  let armed = false
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    let isLost = false
    upstream.on('data', (bytes) => {
      if (isLost) end(client, upstream)
      else client.write(bytes)
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => {
      if (!isLost || fate !== 'late') upstream.end()
    })
    client.on('data', async (bytes) => {
      isLost ||= armed && bytes.includes('COMMIT\0')
      if (isLost && fate === 'dropped') return end(client, upstream)
      if (isLost && fate === 'late') {
        client.destroy()
        await sleep(LATE_MS)
      }
      upstream.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.port = String((server.address() as { port: number }).port)
  return { url: url.href, server, arm: () => (armed = true) }
}

function end(...sockets: Socket[]): void {
  for (const socket of sockets) socket.destroy()
}
