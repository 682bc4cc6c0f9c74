import { describe, expect, test } from 'vitest'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { untilStopped } from './program.ts'
import { afterGuard, change, complaints, openStage } from './stage.ts'

const server = postgresServers()[0]!
const LEASE = ['--set', 'leaseMs=1500']
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * A holder stands still (SIGSTOP) past its lease; a second run takes the stream over; the first goes on (SIGCONT) and
 * lands nothing (spec E63).
 */
describe.each(['read.snapshot_opened', 'run.opened', 'slice.receipt_stored'])(
  'a holder that stood still at %s',
  (standAt) => {
    test.each([undefined, 'lease.lost_while_landing'])('lands nothing, failpoint %s', async (failpoint) => {
      const stage = await openStage(
        await freshDatabase(server, 'paused source'),
        await freshDatabase(server, 'paused copy'),
        { destination: 'postgres', mode: 'upsert' },
      )
      const claim = () =>
        stage.landed('select epoch, watermark, read_seq, batch from plimsoll.plimsoll_claim')
      const rows = () => stage.landed('select id, _plimsoll_seq from public.things order by id')
      try {
        expect((await stage.copy()).errors).toBe('')
        await change(stage, 1)
        await afterGuard()
        const first = stage.start({ standAt, ...(failpoint ? { failpoint } : {}) }, LEASE)
        await untilStopped(first.child.pid!)
        await pause(1_600)
        const second = await stage.copy({}, LEASE)
        expect(second.code, second.errors).toBe(0)
        const [landed, claimed] = [await rows(), await claim()]
        first.child.kill('SIGCONT')
        const ended = await first.ended
        // Who stood still before its landing never comes to one.
        if (failpoint && standAt !== 'run.opened') expect(ended.signal, ended.errors).toBe('SIGKILL')
        else {
          expect(ended.code, ended.errors).toBe(6)
          expect(ended.errors).toContain('LEASE_FENCED_OUT')
        }
        expect(await rows()).toEqual(landed)
        expect(await claim()).toEqual(claimed)
        await afterGuard()
        for (let i = 0; i < 2; i++) {
          expect((await stage.copy()).code).toBe(0)
          await afterGuard()
        }
        expect(await complaints(stage)).toEqual([])
      } finally {
        await stage.dispose()
      }
    })
  },
)
