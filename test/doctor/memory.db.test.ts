import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Check } from '../../src/assure/doctor/check.ts'
import { keepResult } from '../../src/assure/doctor/keep-result.ts'
import { refuseBlocked } from '../../src/assure/doctor/stopping-blockers.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { openCatalog } from '../../src/catalog/sqlite/index.ts'
import type { StreamSettings } from '../../src/extract/index.ts'
import { streamSettings } from '../support/engine.ts'
import { freshSqliteFile } from '../support/sqlite-files.ts'
import { lookAt, said } from './scene.ts'

const ORDERS = streamSettings('main.orders', { position: { column: 'updated_at', encoding: 'iso' } })
const SCOPE = 'doctor:test'

async function freshCatalog(): Promise<Catalog> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-doctor-'))
  const catalog = await openCatalog(folder)
  onTestFinished(async () => {
    await catalog.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return catalog
}

const check = (severity: Check['severity'], sentence = `it is ${severity}`): Check => ({
  name: 'L8',
  severity,
  sentence,
  remedy: undefined,
  figures: {},
})

/** Keeps one result of one table, as if it had been looked at. */
async function keep(catalog: Catalog, checks: readonly Check[], settings: StreamSettings = ORDERS) {
  const table = { table: 'main.orders', settings, position: 'updated_at', key: ['id'], checks }
  const examined = {
    address: 'shop',
    identity: {},
    checks: [],
    tables: [{ ...table, oldestUs: undefined, t0Us: undefined }],
  }
  // biome-ignore lint/suspicious/noExplicitAny: only the parts that are kept
  return keepResult({ catalog, scope: SCOPE, isConfigured: true } as any, examined as any)
}

test('a check that could not be looked at keeps what it was: a blocker still stops', async () => {
  const catalog = await freshCatalog()
  await keep(catalog, [check('blocker')])
  await expect(refuseBlocked(catalog, SCOPE, ORDERS)).rejects.toMatchObject({ code: 'STOPPED_BY_DOCTOR' })
  await keep(catalog, [check('could_not_look')])
  await expect(refuseBlocked(catalog, SCOPE, ORDERS)).rejects.toMatchObject({
    message: 'main.orders: L8: it is blocker',
  })
  const accept = [{ check: 'L8' as const, reason: 'known', date: '2026-03-01' }]
  await refuseBlocked(catalog, SCOPE, { ...ORDERS, accept })
  await keep(catalog, [check('ok')])
  await refuseBlocked(catalog, SCOPE, ORDERS)
})

test('the alarm stays while a check is worse than it ever was, and goes when it is back or accepted', async () => {
  const catalog = await freshCatalog()
  const alarms = async () =>
    (await catalog.alarms(true)).map(({ stream, name, text }) => `${stream} ${name} ${text}`)
  await keep(catalog, [check('warning')])
  expect(await alarms()).toEqual([])
  expect(await keep(catalog, [check('blocker')])).toEqual([
    { table: 'main.orders', check: 'L8', before: 'warning', now: 'blocker' },
  ])
  const raised = ['test/main.orders doctor_changed L8 blocker: it is blocker']
  expect(await alarms()).toEqual(raised)
  expect(await keep(catalog, [check('blocker')])).toEqual([])
  expect(await alarms()).toEqual(raised)
  await keep(catalog, [check('could_not_look')])
  expect(await alarms()).toEqual(raised)
  await keep(catalog, [check('warning')])
  expect(await alarms()).toEqual([])
  await keep(catalog, [check('ok')])
  await keep(catalog, [check('warning')])
  expect(await alarms()).toEqual(['test/main.orders doctor_changed L8 warning: it is warning'])
  await keep(catalog, [
    { ...check('warning'), accepted: { check: 'L8', reason: 'known', date: '2026-03-01' } },
  ])
  expect(await alarms()).toEqual([])
})

test('a purge is seen by the oldest row of earlier days, and its reach is judged (A45)', async () => {
  const catalog = await freshCatalog()
  const { url } =
    freshSqliteFile(`CREATE TABLE orders (id INTEGER PRIMARY KEY, updated_at TEXT NOT NULL); CREATE INDEX t ON orders (updated_at);
    INSERT INTO orders VALUES (1, datetime('now', '-5 days'))`)
  const honest = await lookAt(url, ORDERS, { catalog })
  expect(honest.of('retention').sentence).toContain('(5 d); nothing ends that')
  const DAY = 86_400_000_000n
  const now = catalog.nowUs()
  const oldest = [{ atUs: String(now - 10n * DAY), oldestUs: String(now - 14n * DAY) }]
  await catalog.remember(
    SCOPE,
    'table/test/main.orders',
    JSON.stringify({ lookedUs: '0', question: '', checks: {}, oldest }),
  )
  const { of } = await lookAt(url, ORDERS, { catalog })
  expect(said(of('retention'))).toMatch(
    /^warning: main\.orders reaches back to 20[\d-]+ [\d:]+ \(5 d\), ended by a purge that moved its oldest row by (8 d 23 h|9 d) in 10 days: a loss found later than that is beyond repair/,
  )
})
