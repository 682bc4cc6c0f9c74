import { expect, test } from 'vitest'
import { streamSettings } from '../../../test/support/engine.ts'
import { memoryCatalog } from '../../../test/support/memory-catalog.ts'
import { emptyEntry, type LatenessWay } from '../../assure/lateness/entry.ts'
import { latenessReport } from '../../assure/lateness/report.ts'
import { addTo } from '../../assure/lateness/sketch.ts'
import { addToStore, startOfDay } from '../../assure/lateness/store.ts'
import { parseTimestamp, US_PER_DAY } from '../../kernel/calendar.ts'
import { PLAIN } from './colour.ts'
import { renderLateness } from './lateness.ts'
import { latenessToJson } from './lateness-json.ts'

const NOW = parseTimestamp('2026-03-02 12:00:00')!
const SETTINGS = streamSettings('public.orders', {
  overlap: { kind: 'learned', quantile: 0.999, min: 1_000_000n, max: 60_000_000n },
})

async function measured(runs: number) {
  let nowUs = NOW
  const catalog = memoryCatalog(() => nowUs)
  for (let i = 0; i < runs; i++) {
    const runId = `r${i}`
    const openedUs = NOW - BigInt(runs - i) * 60_000_000n
    await catalog.openRun({
      runId,
      stream: SETTINGS.catalogKey,
      epoch: 1,
      openedUs,
      host: 'h',
      pid: 1,
      kind: 'run',
    })
    await catalog.closeRun(runId, SETTINGS.catalogKey, {
      run_id: runId,
      kind: 'run',
      outcome: 'advanced',
      opened_us: String(openedUs),
      overlap: { amount: '30000000', origin: 'fixed' },
      order: { kind: 'timestamptz', flavour: '' },
      fence: { proof: 'assumed', t0: String(openedUs) },
    })
  }
  nowUs = NOW
  const add = (way: LatenessWay, rate: number, seconds: readonly number[], more = {}) => {
    const entry = emptyEntry({ runs: 1, rows: rate * 1000, seconds: 1000, ...more })
    for (const each of seconds) addTo(entry.sketch, each * 1e6)
    return addToStore(catalog, SETTINGS.catalogKey, { way, dayUs: startOfDay(NOW) - US_PER_DAY, entry })
  }
  return { catalog, add }
}
const exponential = (count: number, mean: number) =>
  Array.from({ length: count }, (_, i) => -mean * Math.log((i + 0.5) / count))

test('levels, distribution and what each further nine costs', async () => {
  const { catalog, add } = await measured(5)
  await add('commit', 34, exponential(5_000, 20))
  await add('commit', 4, exponential(400, 2))
  await add('late_rows', 34, [80], { deepest: 27_000_000, deepestShare: 0.9 })
  await add('open', 34, [1, 2, 40], { looks: 100 })
  const report = await latenessReport(catalog, SETTINGS)
  const text = renderLateness(report, PLAIN)
  expect(text).toMatch(
    /^public\.orders {2}5,400 rows measured by commit time in 35 days\n {2}margin {5}30 s of overlap \(fixed\)/,
  )
  expect(text).toMatch(/busiest +34 +5,000 +13\.\d s +9\d\.?\d* s|busiest +34 +5,000 +13\.\d s +1 min/)
  expect(text).toMatch(/1\/8 +4 +400 .*not enough: 400 of 2,995/)
  expect(text).toContain('the deepest 27 s below the watermark, 90 % of the overlap')
  expect(text).toContain('0.01 open for longer than the margin on average (100 looks)')
  expect(text).toContain('use a fence. At its max of 60 seconds it loses')
  expect(text).toContain('← the margin')
  expect(text).toMatch(/0\.001 \(wanted\)/)
  expect(text).toMatch(/mean lateness grows like the load to the power 1\.0\d/)
  const json = latenessToJson(report) as { levels: { losses: { rows_per_run: number }[] }[] }
  const [, atMargin] = json.levels[0]!.losses
  const expected = 34 * 20 * (Math.exp(-30 / 20) - Math.exp(-90 / 20))
  expect(atMargin!.rows_per_run / expected).toBeCloseTo(1, 1)
  expect(JSON.stringify(json)).toContain('"not_enough":{"count":400,"needed":2995}')
})

test('2,994 rows have no p99.9, 2,995 have (A37)', async () => {
  for (const [count, kind] of [
    [2_994, 'not_enough'],
    [2_995, 'known'],
  ] as const) {
    const { catalog, add } = await measured(2)
    await add('commit', 4, exponential(count, 2))
    const [level] = (await latenessReport(catalog, SETTINGS)).levels
    expect(level!.p999.kind).toBe(kind)
    expect(level!.p99.kind).toBe('known')
  }
})

test('nothing measured says how it would be', async () => {
  const { catalog } = await measured(0)
  const text = renderLateness(await latenessReport(catalog, SETTINGS), PLAIN)
  expect(text).toContain('nothing measured yet')
  expect(text).toContain('track_commit_timestamp = on')
})
