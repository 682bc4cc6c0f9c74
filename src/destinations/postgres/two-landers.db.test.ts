import { describe, expect, test } from 'vitest'
import { setupOn } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import { failure } from '../../testing/destination-expect.ts'
import { at } from '../../testing/destination-rows.ts'
import { inScene, type Scene } from '../../testing/destination-setup.ts'
import { ordersTable, startStream } from '../../testing/destination-stream.ts'

const ROWS = [['1', '2026-03-01 10:00:00', 'old']]
const NEW_ROWS = [['1', '2026-03-01 10:00:00', 'new']]

describe.each(postgresServers())('two landers on PostgreSQL $major (E63)', (server) => {
  const setup = setupOn(server)

  test('a lander paused before it locks the claim lands nothing once another took over', () =>
    inScene(setup, 'paused before', async (scene) => {
      const table = ordersTable(scene)
      const older = await startStream(scene, await scene.open(), table)
      const newer = await startStream(scene, await scene.open(), table)
      const before = await older.claim()
      await newer.destination.writeClaim({ ...before, epoch: 2 }, before)
      await newer.land(NEW_ROWS, { upper: at('2026-03-02') })
      await failure('LEASE_FENCED_OUT', older.land(ROWS, { epoch: 1, upper: at('2026-03-05') }))
      expect(await newer.rows()).toEqual(NEW_ROWS)
      expect((await newer.claim()).watermark).toEqual(at('2026-03-02'))
    }))

  test('a take-over waits for a lander inside its transaction and then sees what it claimed', () =>
    inScene(setup, 'paused inside', async (scene) => {
      const paused = await pausedLander(scene)
      const newer = await startStream(scene, await scene.open(), paused.table)
      const before = await newer.claim()
      const takeOver = failure(
        'LEASE_FENCED_OUT',
        newer.destination.writeClaim({ ...before, epoch: 2 }, before),
      )
      await waitsForLock(scene)
      paused.resume()
      await paused.landing
      await takeOver
      const now = await newer.claim()
      expect(now.watermark).toEqual(at('2026-03-05'))
      await newer.destination.writeClaim({ ...now, epoch: 2 }, now)
      expect(await newer.rows()).toEqual(ROWS)
    }))

  test('a lander whose session the server ended lands nothing when it goes on', () =>
    inScene(setup, 'ended inside', async (scene) => {
      const paused = await pausedLander(scene)
      await scene.store.execute!(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity
         where application_name = 'plimsoll' and datname = current_database() and state = 'idle in transaction'`,
      )
      const newer = await startStream(scene, await scene.open(), paused.table)
      const before = await newer.claim()
      await newer.destination.writeClaim({ ...before, epoch: 2 }, before)
      await newer.land(NEW_ROWS, { upper: at('2026-03-02') })
      paused.resume()
      await failure('DESTINATION_UNAVAILABLE', paused.landing)
      expect(await newer.rows()).toEqual(NEW_ROWS)
    }))
})

/** A landing of epoch 1 that stands still with everything written and nothing committed. */
async function pausedLander(scene: Scene) {
  let resume = () => {}
  const gate = new Promise<void>((resolve) => {
    resume = resolve
  })
  let arrived = () => {}
  const stopped = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const table = ordersTable(scene)
  const destination = await scene.open(async (name) => {
    if (name !== 'land.claim_written') return
    arrived()
    await gate
  })
  const stream = await startStream(scene, destination, table)
  const landing = stream.land(ROWS, { upper: at('2026-03-05') })
  landing.catch(() => {})
  await stopped
  return { table, landing, resume }
}

/** Returns once some session of this database waits for a lock. */
async function waitsForLock(scene: Scene): Promise<void> {
  await scene.store.execute!(
    `do $$ begin
       for i in 1..500 loop
         perform pg_stat_clear_snapshot();
         exit when exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock');
         perform pg_sleep(0.02);
       end loop;
     end $$`,
  )
}
