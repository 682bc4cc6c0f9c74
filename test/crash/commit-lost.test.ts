import { expect, test } from 'vitest'
import { openCatalog } from '../../src/catalog/sqlite/index.ts'
import { type CommitFate, startProxy } from '../support/proxy.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { untilStopped } from './program.ts'
import { afterGuard, complaints, openStage, ROWS } from './stage.ts'

const server = postgresServers()[0]!
const SAID = {
  'lost after': 'batch found, landed once',
  'lost before': 'batch absent, not landed',
} as const

test.each<CommitFate>(['lost before', 'lost after'])(
  'STATE-6 the reply to COMMIT, %s: one copy, right counts, and the record says which',
  async (fate) => {
    const copy = await freshDatabase(server, 'commit copy')
    const proxy = await startProxy(Number(new URL(copy).port))
    const stage = await openStage(await freshDatabase(server, 'commit source'), proxy.through(copy), {
      destination: 'postgres',
      mode: 'upsert',
    })
    try {
      const running = stage.start({ standAt: 'land.commit_sent:3' })
      await untilStopped(running.child.pid!)
      proxy.loseCommit(fate)
      running.child.kill('SIGCONT')
      const ended = await running.ended
      expect(ended.code, ended.errors).toBe(0)
      expect(proxy.commitsLost()).toBe(1)
      const [result] = (ended.json as { results: { counts: Record<string, number> }[] }).results
      expect(result!.counts).toMatchObject({ rows_read: ROWS, inserted: ROWS, late: 0, reprocessed: 0 })
      const catalog = await openCatalog(`${stage.folder}/.plimsoll`)
      const [stream] = await catalog.streams()
      const [record] = await catalog.records(stream!, 1)
      await catalog.close()
      const { commit_reply_lost, slices, retries } = JSON.parse(record!.json)
      expect(commit_reply_lost).toBe(SAID[fate])
      expect(retries).toHaveLength(fate === 'lost before' ? 1 : 0)
      const borders = slices.map(({ lower, upper }: Record<string, unknown>) => `${lower} ${upper}`)
      expect(new Set(borders).size).toBe(borders.length)
      await afterGuard()
      expect((await stage.copy()).code).toBe(0)
      expect(await complaints(stage)).toEqual([])
    } finally {
      await stage.dispose()
    }
  },
)
