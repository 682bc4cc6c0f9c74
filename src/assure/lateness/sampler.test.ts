import { describe, expect, test } from 'vitest'
import { memoryCatalog } from '../../../test/support/memory-catalog.ts'
import { seededRandom } from '../../../test/support/random.ts'
import type { OpenTransaction, OpenTransactions } from '../../sources/source.ts'
import { sawNobodyAsOld, wasOpen } from './knowledge.ts'
import { measureLooks, writersOf } from './open-looks.ts'
import { loadSamplerHistory } from './sampler-history.ts'
import { keepLook } from './sampler-log.ts'
import { countAbove, sketchCount, sketchQuantile } from './sketch.ts'

const SECOND = 1_000_000n
const START = 1_772_409_600n * SECOND
const SAMPLER_MS = 10_000
const at = (seconds: number): bigint => START + BigInt(Math.round(seconds * 1e6))

const open = (session: string, startS: number, rest: Partial<OpenTransaction> = {}): OpenTransaction => ({
  startUs: String(at(startS)),
  transaction: undefined,
  session,
  role: 'app',
  application: undefined,
  prepared: false,
  ...rest,
})
const look = (seconds: number, transactions: OpenTransaction[] = [], complete = true): OpenTransactions => ({
  takenUs: String(at(seconds)),
  complete,
  transactions,
})

async function historyOf(looks: readonly OpenTransactions[]) {
  const catalog = memoryCatalog(() => at(4_000))
  for (const each of looks) await keepLook(catalog, 'sampler:x', each, SAMPLER_MS)
  return loadSamplerHistory(catalog, 'sampler:x', at(4_000), 35)
}
const every10s = (from: number, to: number, openAt: (s: number) => OpenTransaction[] = () => []) => {
  const looks: OpenTransactions[] = []
  for (let s = from; s <= to; s += 10) looks.push(look(s, openAt(s)))
  return looks
}

describe('the sampler (A19)', () => {
  test('keeps who was open for longer than the time between looks, over the hour too', async () => {
    const long = (s: number) =>
      s >= 3_500 && s <= 3_700 ? [open('7/a', 3_480, { transaction: s > 3_600 ? '99' : undefined })] : []
    const history = await historyOf(every10s(3_400, 3_900, (s) => [...long(s), open(`8/${s}`, s - 3)]))
    const { transactions, withoutGap } = history.openTransactionsBetween(at(3_500), at(3_800))
    expect(withoutGap).toBe(true)
    expect(transactions).toHaveLength(1)
    expect(transactions[0]).toMatchObject({
      transaction: '99',
      firstSeenUs: String(at(3_500)),
      lastSeenUs: String(at(3_700)),
    })
    expect(history.longestUs).toBe(220n * SECOND)
    expect(history.openTransactionsBetween(at(3_760), at(3_800)).transactions).toEqual([])
  })

  test('"nobody was open" is evidence only without a gap', async () => {
    const whole = await historyOf(every10s(0, 600))
    expect(whole.openTransactionsBetween(at(10), at(590)).withoutGap).toBe(true)
    expect(sawNobodyAsOld(whole, at(500), 300n * SECOND, 10n * SECOND)).toBe(true)
    expect(sawNobodyAsOld(whole, at(500), 86_400n * 180n * SECOND, 10n * SECOND)).toBe(true)
    expect(sawNobodyAsOld(whole, at(500), 5n * SECOND, 10n * SECOND)).toBe(false)
    expect(sawNobodyAsOld(whole, at(900), 300n * SECOND, 10n * SECOND)).toBe(false)
    const gap = await historyOf([...every10s(0, 470), ...every10s(510, 600)])
    expect(sawNobodyAsOld(gap, at(500), 300n * SECOND, 10n * SECOND)).toBe(false)
    const blind = await historyOf(every10s(0, 600).map((each) => ({ ...each, complete: false })))
    expect(blind.openTransactionsBetween(at(10), at(590)).withoutGap).toBe(false)
  })

  test('somebody as old, or anybody prepared, is seen', async () => {
    const old = await historyOf(every10s(0, 600, () => [open('7/a', -200)]))
    expect(sawNobodyAsOld(old, at(500), 600n * SECOND, 10n * SECOND)).toBe(false)
    expect(sawNobodyAsOld(old, at(500), 3_600n * SECOND, 10n * SECOND)).toBe(true)
    const prepared = await historyOf(every10s(0, 600, () => [open('prepared/x', 480, { prepared: true })]))
    expect(sawNobodyAsOld(prepared, at(500), 3_600n * SECOND, 10n * SECOND)).toBe(false)
  })

  test("a row's own transaction is known again by its id", async () => {
    const history = await historyOf(
      every10s(0, 600, (s) => (s <= 300 ? [open('7/a', -30, { transaction: '42' })] : [])),
    )
    expect(wasOpen(history, '42', at(100))).toBe('seen')
    expect(wasOpen(history, '42', at(400))).toBe('not_seen')
    expect(wasOpen(history, '43', at(100))).toBe('not_seen')
    expect(wasOpen(history, '43', at(3_000))).toBe('unknown')
    expect(wasOpen(history, undefined, at(100))).toBe('unknown')
  })
})

test('open writers: exponential with a mean of 2 s, 3.4 a second: 6.8 open, 0.92 older than 4 s (A36)', () => {
  const random = seededRandom(6)
  const exponential = (mean: number): number => -mean * Math.log((random.below(2 ** 32) + 1) / 2 ** 32)
  const lives: { start: number; end: number }[] = []
  for (let t = 0; t < 100_000; t += exponential(1 / 3.4)) lives.push({ start: t, end: t + exponential(2) })
  let before: OpenTransactions | undefined
  const looks = []
  let first = 0
  for (let s = 100; s < 100_000; s += 10) {
    while (lives[first]!.start < s - 60) first++
    const now: OpenTransaction[] = []
    for (let i = first; i < lives.length && lives[i]!.start <= s; i++) {
      if (lives[i]!.end > s) now.push(open(String(i), lives[i]!.start, { transaction: String(i) }))
    }
    const taken = look(s, [...now, open('reader', s - 1)])
    looks.push(writersOf(taken, before))
    before = taken
  }
  const measured = measureLooks(looks)
  expect(Math.abs(sketchCount(measured.sketch) / measured.looks - 6.8)).toBeLessThan(0.2)
  expect(countAbove(measured.sketch, 4e6) / measured.looks).toBeCloseTo(0.92, 1)
  const median = sketchQuantile(measured.sketch, 0.5) / 1e6
  expect(median).toBeCloseTo(2 * Math.LN2, 1)
})

test('lengths seen to end weigh less the longer they are (A36)', () => {
  const first = look(0, [open('a', -100, { transaction: '1' }), open('b', -1, { transaction: '2' })])
  const then = writersOf(look(10), first)
  expect(then.endedLengths.map((us) => us / 1e6)).toEqual([105, 6])
  const { lengths } = measureLooks([then])
  expect(sketchQuantile(lengths, 0)).toBeCloseTo(6e6, -5)
  expect(countAbove(lengths, 50e6) / sketchCount(lengths)).toBeCloseTo(6 / 111, 3)
})
