import { expect, test } from 'vitest'
import type { Failpoint } from '../../src/kernel/failpoint.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { afterGuard, type Combination, complaints, openStage, type Stage } from './stage.ts'

// A repair that dies anywhere and is typed again ends in the same state, and moves no claim (assurance A31, A32).

const server = postgresServers()[0]!
const COMBINATIONS: readonly Combination[] = [
  { destination: 'duckdb', mode: 'upsert' },
  { destination: 'postgres', mode: 'upsert' },
]
const INSTANTS: readonly Failpoint[] = [
  'lease.acquired',
  'run.opened',
  'land.staged',
  'land.merged',
  'land.claim_written',
  'land.commit_sent',
  'land.committed',
  'repair.page_landed',
]
const KEYS = [7, 300, 599]
const REPAIR = [
  'repair',
  'public.things',
  ...KEYS.flatMap((key) => ['--key', String(key)]),
  '--apply',
  '--second-look',
  '1ms',
]

test.each(COMBINATIONS)('a killed repair, typed again, $destination', async (combination) => {
  const stage = await openStage(
    await freshDatabase(server, 'repair source'),
    await freshDatabase(server, 'repair copy'),
    combination,
  )
  try {
    expect((await stage.copy()).errors).toBe('')
    const watermark = await claimed(stage)
    for (const failpoint of INSTANTS) {
      await stage.landed(`delete from public.things where id in (${KEYS.join()})`)
      const died = await stage.plimsoll(REPAIR, { failpoint })
      expect(died.signal, `${failpoint}: ${died.errors}`).toBe('SIGKILL')
      const again = await stage.plimsoll(REPAIR)
      expect(again.code, `${failpoint}: ${again.errors}`).toBe(0)
      expect(await stage.landed(`select id from public.things where id in (${KEYS.join()})`)).toHaveLength(
        KEYS.length,
      )
      expect(await claimed(stage), failpoint).toEqual(watermark)
      await afterGuard()
    }
    expect((await stage.copy()).errors).toBe('')
    expect(await complaints(stage)).toEqual([])
  } finally {
    await stage.dispose()
  }
})

const claimed = (stage: Stage): Promise<string[][]> =>
  stage.landed(
    `select watermark from ${stage.combination.destination === 'duckdb' ? 'main' : 'plimsoll'}.plimsoll_claim`,
  )
