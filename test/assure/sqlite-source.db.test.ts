import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { NOTHING_MEASURED } from '../../src/assure/audit/lateness-knowledge.ts'
import { reconcileStreams } from '../../src/assure/reconcile/reconcile-streams.ts'
import { repairAsked } from '../../src/assure/repair/repair-asked.ts'
import { runStream } from '../../src/extract/index.ts'
import { openEngine } from '../support/engine.ts'
import { openSession } from '../support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { quick } from './scene.ts'

test('a file, whose snapshot has no clock of its own, is checked and repaired like a server (A10, A28)', async () => {
  const { url, db } =
    freshSqliteFile(`create table orders (id text not null primary key, state text, at text not null);
    create index by_at on orders (at)`)
  for (const id of ['a;b', "q'", 'é😀', '"', ' x ', 'N'])
    db.prepare(`insert into orders values (?, 's', strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 day'))`).run(id)
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-assure-'))
  const destinationUrl = await freshDatabase(postgresServers()[0]!, 'assure sqlite')
  const { engine, close } = await openEngine({
    sourceUrl: url,
    destinationUrl,
    stateDir: join(folder, 'state'),
  })
  onTestFinished(async () => {
    await close()
    db.close()
    await rm(folder, { recursive: true, force: true })
  })
  const settings = quick('main.orders', {
    position: { column: 'at', stampedBy: 'database' },
    overlap: { kind: 'fixed', amount: 0n },
    target: { schema: 'public', name: 'orders' },
  })
  expect((await runStream(engine, settings)).error).toBeUndefined()
  const ask = await openSession(destinationUrl)
  await ask(`delete from public.orders where id = 'a;b'; update public.orders set state = 'x' where id = 'N'`)
  const look = () =>
    reconcileStreams(
      engine,
      [settings],
      { level: 4, deletes: undefined },
      async () => NOTHING_MEASURED,
      () => {},
    )
  const { streams, notLooked } = await look()
  expect(notLooked).toEqual([])
  expect(streams[0]!.findings.map(({ verdict, key }) => `${verdict} ${key.join()}`).sort()).toEqual([
    'LOST a;b',
    'UNBUMPED N',
  ])
  const keys = { kind: 'findings', ids: [streams[0]!.checkId] } as const
  expect((await repairAsked(engine, settings, { keys, apply: true, deletes: 'report' })).stillOpen).toEqual(
    [],
  )
  expect((await look()).streams[0]!.counts).toMatchObject({ equal: 6, findings: 0 })
})
