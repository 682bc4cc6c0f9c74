import { renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { ask, caseTest, Scene } from './scene.ts'

const BY_XID = `create table t (id bigint primary key, v text, c xid8); create index on t (c);
  create function stamp() returns trigger language plpgsql as 'begin new.c := pg_current_xact_id(); return new; end';
  create trigger stamp before insert or update on t for each row execute function stamp(); alter table t enable always trigger stamp;`

const portOf = (url: string): number => Number(new URL(url).port)

caseTest('IDENT-1 another server answers under the address', async (way) => {
  const [here, there] = postgresServers()
  const sourceUrl = await freshDatabase(here!, 'identity')
  const proxy = await startProxy(portOf(sourceUrl))
  const scene = await Scene.open(way, `${BY_XID} insert into t values (1, 'a')`, {
    sourceUrl: proxy.through(sourceUrl),
    settings: { position: { column: 'c', stampedBy: 'database' } },
  })
  const first = await scene.runWell()
  const other = new URL(there!.url)
  other.pathname = new URL(sourceUrl).pathname
  await ask(there!.url, `create database ${other.pathname.slice(1)}`)
  try {
    await ask(other.href, BY_XID)
    proxy.leadTo(portOf(there!.url))
    await scene.restart()
    const stopped = await scene.run()
    expect(stopped.error?.code).toMatch(/^SOURCE_(CHANGED|WENT_BACK)$/)
    expect(stopped.error?.hint).toContain('rewind')
    expect(stopped.outcome).toBe('failed')
    expect((await scene.claim())?.watermark).toEqual(first.watermarkAfter)
    expect(await scene.landed()).toEqual([['1', 'a']])
  } finally {
    await scene.close()
    await proxy.close()
    await ask(there!.url, `drop database ${other.pathname.slice(1)} with (force)`)
  }
})

caseTest('IDENT-1 another SQLite file lies under the path', async (way) => {
  const make = `create table t (id integer primary key autoincrement, v text, at text default (strftime('%Y-%m-%d %H:%M:%S', 'now')));
    create index i on t (at); insert into t (v, at) values ('a', '2026-01-05 10:00:00')`
  const { path: file, url, db } = freshSqliteFile(make)
  const scene = await Scene.open(way, '', {
    sourceUrl: url,
    table: 'main.t',
    settings: { position: { column: 'at', stampedBy: 'database' } },
  })
  const first = await scene.runWell()
  await scene.close()
  db.close()
  const other = new Database(`${file}.other`)
  other.exec(make.split('; insert')[0]!)
  other.close()
  renameSync(`${file}.other`, file)
  await scene.restart()
  const stopped = await scene.run()
  expect(stopped.error?.code).toMatch(/^SOURCE_(CHANGED|WENT_BACK)$/)
  expect(stopped.error?.hint).toContain('rewind')
  expect((await scene.claim())?.watermark).toEqual(first.watermarkAfter)
})
