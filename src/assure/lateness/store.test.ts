import { expect, test } from 'vitest'
import { memoryCatalog } from '../../../test/support/memory-catalog.ts'
import { parseTimestamp, US_PER_DAY } from '../../kernel/calendar.ts'
import { emptyEntry } from './entry.ts'
import { allTogether, busiestRate, byLevel } from './levels.ts'
import { addTo, sketchCount } from './sketch.ts'
import { addToStore, hasMeasured, loadStore } from './store.ts'
import { rememberWanted, wantedBefore } from './wanted.ts'

const TODAY = parseTimestamp('2026-03-02 00:00:00')!
const day = (daysAgo: number): bigint => TODAY - BigInt(daysAgo) * US_PER_DAY

function entry(rate: number, ...seconds: number[]) {
  const made = emptyEntry({ runs: 1, rows: rate * 60, seconds: 60 })
  for (const each of seconds) addTo(made.sketch, each * 1e6)
  return made
}

test('by way, day and rate; merged when asked, forgotten after 35 days (A37)', async () => {
  const catalog = memoryCatalog(() => TODAY)
  const add = (daysAgo: number, rate: number, ...seconds: number[]) =>
    addToStore(catalog, 's', { way: 'commit', dayUs: day(daysAgo), entry: entry(rate, ...seconds) })
  await add(40, 4, 9)
  await add(13, 4, 1, 2)
  await add(13, 5, 3)
  await add(13, 32, 50)
  await add(0, 4, 4)
  await addToStore(catalog, 's', { way: 'late_rows', dayUs: TODAY, entry: entry(4, 70) })
  expect(await catalog.memoryNames('lateness:s', 'commit/')).toEqual([
    'commit/2026-02-17/2',
    'commit/2026-02-17/5',
    'commit/2026-03-02/2',
  ])
  const two = await loadStore(catalog, 's', 'commit', TODAY, 14)
  expect(sketchCount(allTogether(two).sketch)).toBe(5)
  expect(busiestRate(two)).toBe(32)
  const levels = byLevel(two, 32)
  expect(levels.map(({ level }) => level)).toEqual([0, -3])
  expect(levels[1]!.entry.runs).toBe(3)
  expect(levels[1]!.rate).toBeCloseTo(13 / 3, 9)
  expect(await loadStore(catalog, 's', 'commit', TODAY, 13)).toHaveLength(1)
  expect(sketchCount(allTogether(await loadStore(catalog, 's', 'late_rows', TODAY, 14)).sketch)).toBe(1)
  expect(await hasMeasured(catalog, 's', 'late_rows', TODAY)).toBe(true)
  expect(await hasMeasured(catalog, 's', 'late_rows', day(1))).toBe(false)
})

test('what was wanted counts for 7 days more (E40)', async () => {
  const catalog = memoryCatalog(() => TODAY)
  await rememberWanted(catalog, 's', day(8), 900n)
  await rememberWanted(catalog, 's', day(7), 500n)
  await rememberWanted(catalog, 's', day(3), 300n)
  await rememberWanted(catalog, 's', day(3) + 5n, 200n)
  expect(await wantedBefore(catalog, 's', TODAY)).toBe(500n)
  expect(await wantedBefore(catalog, 's', day(-1))).toBe(300n)
  expect(await wantedBefore(catalog, 's', day(-5))).toBe(0n)
})
