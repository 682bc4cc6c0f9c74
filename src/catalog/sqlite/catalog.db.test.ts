import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { catalogSuite } from '../../testing/catalog-suite.ts'
import { openCatalog } from './index.ts'
import { isCertainlyDead, thisProcess } from './process-mark.ts'
import { MIGRATIONS } from './schema.ts'

const root = mkdtempSync(join(tmpdir(), 'plimsoll-catalog-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const newFolder = (): string => join(mkdtempSync(join(root, 'c-')), 'deep', 'folder')

catalogSuite({
  module: fileURLToPath(new URL('./index.ts', import.meta.url)),
  openCatalog,
  createLocation: async () => newFolder(),
})

describe('the file', () => {
  test('is readable by its owner alone, with its logs, and flushed at every commit', async () => {
    const folder = newFolder()
    const catalog = await openCatalog(folder)
    await catalog.remember('a', 'b', '1')
    for (const file of ['catalog.sqlite', 'catalog.sqlite-wal', 'catalog.sqlite-shm']) {
      expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600])
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    await catalog.close()
  })

  test('says since when which version of its tables stands', async () => {
    const folder = newFolder()
    await (await openCatalog(folder)).close()
    const db = new Database(join(folder, 'catalog.sqlite'))
    expect(db.prepare('SELECT max(version) FROM migration').pluck().get()).toBe(MIGRATIONS.length)
    expect(() => db.exec("UPDATE record SET json = ''")).not.toThrow()
    db.exec("INSERT INTO record VALUES (1, 'r', 's', 1, '{}', 'h', '')")
    expect(() => db.exec("UPDATE record SET json = ''")).toThrow('append-only')
    expect(() => db.exec('DELETE FROM record')).toThrow('append-only')
    db.exec("INSERT INTO finding VALUES (1, 'f', 's', 'c', 'confirmed', 'LOST', 'k', '{}')")
    expect(() => db.exec('DELETE FROM finding')).toThrow('never deleted')
    db.close()
  })

  test('of the first version keeps its records', async () => {
    const folder = newFolder()
    mkdirSync(folder, { recursive: true })
    const db = new Database(join(folder, 'catalog.sqlite'))
    db.exec('CREATE TABLE migration (version INTEGER PRIMARY KEY, applied_us INTEGER NOT NULL) STRICT')
    db.exec(MIGRATIONS[0]!)
    db.exec("INSERT INTO migration VALUES (1, 0); INSERT INTO record VALUES (7, 'r', 's', 1, '{}', 'h', '')")
    db.close()
    const catalog = await openCatalog(folder)
    expect(await catalog.records('s', 9)).toEqual([
      { runId: 'r', stream: 's', sequence: 1, json: '{}', hash: 'h', prev: '' },
    ])
    await catalog.close()
  })

  test('written by a newer program is left alone', async () => {
    const folder = newFolder()
    await (await openCatalog(folder)).close()
    const file = join(folder, 'catalog.sqlite')
    const db = new Database(file)
    db.prepare('INSERT INTO migration VALUES (?, 0)').run(MIGRATIONS.length + 1)
    db.close()
    const before = readFileSync(file)
    await expect(openCatalog(folder)).rejects.toMatchObject({
      code: 'CATALOG_UNAVAILABLE',
      hint: expect.stringContaining('newer'),
    })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('that is no database is named, with the way out, and not touched', async () => {
    const folder = newFolder()
    await (await openCatalog(folder)).close()
    const file = join(folder, 'catalog.sqlite')
    writeFileSync(file, 'this is not a database, but long enough to look at it as one. '.repeat(20))
    await expect(openCatalog(folder)).rejects.toMatchObject({
      code: 'CATALOG_UNAVAILABLE',
      hint: expect.stringContaining('recovered from the destination'),
    })
    expect(readFileSync(file, 'utf8')).toContain('this is not a database')
  })

  test('in a place that is no folder is refused', async () => {
    const folder = newFolder()
    await (await openCatalog(folder)).close()
    const inside = join(folder, 'catalog.sqlite', 'deeper')
    await expect(openCatalog(inside)).rejects.toMatchObject({ code: 'CATALOG_UNAVAILABLE' })
  })

  test('keeps a mode its owner gave it', async () => {
    const folder = newFolder()
    await (await openCatalog(folder)).close()
    chmodSync(join(folder, 'catalog.sqlite'), 0o640)
    await (await openCatalog(folder)).close()
    expect(statSync(join(folder, 'catalog.sqlite')).mode & 0o777).toBe(0o640)
    expect(existsSync(join(folder, 'catalog.sqlite-wal'))).toBe(false)
  })
})

describe('isCertainlyDead', () => {
  const self = thisProcess()
  const NOBODY = 2 ** 22 + 1

  test('a process that lives is not dead', () => expect(isCertainlyDead(self)).toBe(false))

  test('a number nobody has is dead', () => expect(isCertainlyDead({ ...self, pid: NOBODY })).toBe(true))

  test('a number given to a younger process is dead', () =>
    expect(isCertainlyDead({ ...self, mark: self.mark.replace(/\d+$/, '1') })).toBe(self.mark !== ''))

  test('on another host, boot or in another namespace nothing is certain', () => {
    expect(isCertainlyDead({ ...self, pid: NOBODY, host: 'elsewhere' })).toBe(false)
    expect(isCertainlyDead({ ...self, pid: NOBODY, mark: `other ${self.mark}` })).toBe(false)
  })
})
