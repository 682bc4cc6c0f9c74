import { describe, expect, test } from 'vitest'
import type { Catalog } from '../catalog/catalog.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'
import { FINDING } from './catalog-findings.ts'
import { type CatalogSetup, onCatalog } from './catalog-setup.ts'

const STREAM = 'pipeline/public.orders'
/** The last timestamp of PostgreSQL, beyond 63 bits of µs (spec E2). */
const LAST_TIMESTAMP_US = 9_224_318_015_999_999_999n

/** Ranges, memory and alarms come back exactly as they were given, to every process (spec E2, E14). */
export function contentTests(setup: CatalogSetup): void {
  describe('ranges', () => {
    test('positions beyond 2^53 and 2^63, texts and -∞ survive', () =>
      onCatalog(setup, 'ranges', async (catalog, open) => {
        const entries: LedgerEntry[] = [
          entry({ lower: undefined, upper: { kind: 'integer', value: 9_007_199_254_740_993n } }),
          entry({
            lower: { kind: 'integer', value: 9_007_199_254_740_993n },
            upper: { kind: 'integer', value: 2n ** 63n - 1n },
          }),
          entry({
            lower: { kind: 'timestamptz', value: -1n },
            upper: { kind: 'timestamptz', value: LAST_TIMESTAMP_US },
          }),
          entry({ lower: { kind: 'text', value: '' }, upper: { kind: 'text', value: 'é"\n\u{10ffff}' } }),
          { ...entry({ lower: undefined, upper: { kind: 'xid8', value: 2n ** 64n - 1n } }), generation: 2 },
        ]
        for (const each of entries) await catalog.addRange(each)
        await catalog.addRange({ ...entries[0]!, stream: 'another stream' })
        const other = await open()
        expect(await other.ranges(STREAM)).toEqual(entries)
        expect(await other.ranges(STREAM, 2)).toEqual(entries.slice(4))
        expect(await other.ranges('unknown')).toEqual([])
        await other.addRange(entries[0]!)
        expect(await other.ranges(STREAM)).toHaveLength(entries.length)
      }))
  })

  describe('memory', () => {
    test('is replaced, kept apart by scope, and forgotten', () =>
      onCatalog(setup, 'memory', async (catalog, open) => {
        await catalog.remember('a', 'clock', '{"t0":"1"}')
        await catalog.remember('a', 'clock', '{"t0":"2"}')
        await catalog.remember('b', 'clock', '"é"')
        const other = await open()
        expect(await other.memory('a', 'clock')).toBe('{"t0":"2"}')
        expect(await other.memory('b', 'clock')).toBe('"é"')
        await other.remember('a', 'clock', undefined)
        expect(await catalog.memory('a', 'clock')).toBeUndefined()
      }))

    test('is listed by the beginning of its name, sorted, one scope alone', () =>
      onCatalog(setup, 'memory names', async (catalog) => {
        for (const name of ['sketch/b', 'sketch/a', 'sketch', 'sketches', 'other', 'sk%tch/a', 'SKETCH/a']) {
          await catalog.remember('a', name, '1')
        }
        await catalog.remember('b', 'sketch/c', '1')
        expect(await catalog.memoryNames('a', 'sketch/')).toEqual(['sketch/a', 'sketch/b'])
        expect(await catalog.memoryNames('a', 'sk%')).toEqual(['sk%tch/a'])
        expect(await catalog.memoryNames('a', '')).toHaveLength(7)
        expect(await catalog.memoryNames('c', '')).toEqual([])
      }))
  })

  describe('alarms', () => {
    test('are raised once, are counted, and can be raised again after they were resolved', () =>
      onCatalog(setup, 'alarms', async (catalog, open) => {
        const before = catalog.nowUs()
        await catalog.raiseAlarm(STREAM, 'fence_held', 'a writer holds the fence', 'pid 1')
        const [first] = await catalog.alarms(true)
        await (await open()).raiseAlarm(STREAM, 'fence_held', 'said again', 'pid 2')
        await catalog.raiseAlarm('another stream', 'fence_held', 'a writer holds the fence', 'pid 1')
        const open1 = await catalog.alarms(true)
        expect(open1).toHaveLength(2)
        expect(first).toMatchObject({ level: 'notice', text: 'a writer holds the fence', count: 1 })
        expect(first!.raisedUs).toBeGreaterThanOrEqual(before)
        expect(open1[0]!.seenUs).toBeGreaterThanOrEqual(first!.raisedUs)
        const again = { evidence: 'pid 2', latest: 'said again', count: 2, seenUs: open1[0]!.seenUs }
        expect(open1[0]).toEqual({ ...first, ...again })
        await catalog.raiseAlarm(STREAM, 'fence_held', 'for long', 'pid 2', 'page')
        expect((await catalog.alarms(true))[0]).toMatchObject({ level: 'page', count: 3 })
        await catalog.raiseAlarm(STREAM, 'unheard_of', 'x', '')
        expect((await catalog.alarms(true)).at(-1)).toMatchObject({ name: 'unheard_of', level: 'page' })
        await catalog.resolveAlarm(STREAM, 'unheard_of')
        await catalog.resolveAlarm(STREAM, 'fence_held')
        await catalog.resolveAlarm(STREAM, 'never_raised')
        expect((await catalog.alarms(true)).map((alarm) => alarm.stream)).toEqual(['another stream'])
        await catalog.raiseAlarm(STREAM, 'fence_held', 'a writer holds the fence', 'pid 3')
        const all = (await catalog.alarms(false)).filter(
          (alarm) => alarm.stream === STREAM && alarm.name === 'fence_held',
        )
        expect(all.map((alarm) => alarm.resolvedUs === undefined)).toEqual([false, true])
        expect(all[1]!.id).not.toBe(first!.id)
      }))
  })

  describe('export and import', () => {
    test('an imported catalog exports the same text and goes on from it', () =>
      onCatalog(setup, 'export', async (catalog) => {
        await fill(catalog)
        const text = await catalog.export()
        await onCatalog(setup, 'import', async (copy) => {
          await copy.import(text)
          expect(await copy.export()).toBe(text)
          expect(await copy.streams()).toEqual(await catalog.streams())
          const answer = await copy.acquireLease(STREAM, 'copy', 1_000, 0)
          expect(answer.lease.epoch).toBe(6)
          await copy.closeRun('open', STREAM, { outcome: 'abandoned' })
          expect((await copy.records(STREAM, 1))[0]!.sequence).toBe(2)
        })
      }))

    test('one stream is exported with its own memory alone', () =>
      onCatalog(setup, 'one stream', async (catalog) => {
        await fill(catalog)
        await catalog.addRange({ ...entry(), stream: 'another stream' })
        await onCatalog(setup, 'one stream copy', async (copy) => {
          await copy.import(await catalog.export(STREAM))
          expect(await copy.streams()).toEqual([STREAM])
          expect(await copy.ranges(STREAM)).toEqual(await catalog.ranges(STREAM))
          expect(await copy.findings({ limit: 10 })).toEqual([{ ...FINDING, stream: STREAM }])
          expect(await copy.memory(STREAM, 'order')).toBe('"x"')
          expect(await copy.memory('source', 'clock')).toBeUndefined()
        })
      }))

    test('importing the same again changes nothing; another content is refused whole', () =>
      onCatalog(setup, 'import twice', async (catalog) => {
        await fill(catalog)
        const text = await catalog.export()
        await catalog.import(text)
        expect(await catalog.export()).toBe(text)
        await catalog.addRange({ ...entry(), runId: 'later' })
        await catalog.addRange({ ...entry(), stream: 'another stream' })
        const now = await catalog.export()
        await expect(catalog.import(text)).rejects.toMatchObject({ code: 'STATE_INVALID' })
        expect(await catalog.export()).toBe(now)
      }))

    test.each([
      ['no JSON', () => '{'],
      ['another format', () => '{"format":"something","version":1,"streams":[],"memory":[]}'],
      ['a newer version', (text: string) => text.replace('"version":1', '"version":2')],
      [
        'an edited record',
        (text: string) => text.replace('\\"outcome\\":\\"empty\\"', '\\"outcome\\":\\"x\\"'),
      ],
      ['an unknown verdict', (text: string) => text.replace('"verdict":"LOST"', '"verdict":"GONE"')],
    ])('%s is refused', (_, change) =>
      onCatalog(setup, 'invalid import', async (catalog) => {
        await fill(catalog)
        const text = await catalog.export()
        expect(change(text)).not.toBe(text)
        await onCatalog(setup, 'invalid import copy', async (copy) => {
          await expect(copy.import(change(text))).rejects.toMatchObject({ code: 'STATE_INVALID' })
          expect(await copy.streams()).toEqual([])
        })
      }),
    )
  })
}

async function fill(catalog: Catalog): Promise<void> {
  const lease = await catalog.acquireLease(STREAM, 'a', 60_000, 4)
  await catalog.releaseLease(lease.lease)
  const run = { stream: STREAM, epoch: 5, openedUs: catalog.nowUs(), host: 'here', pid: 1, kind: 'run' }
  await catalog.openRun({ ...run, runId: 'closed' })
  await catalog.closeRun('closed', STREAM, { outcome: 'empty' })
  await catalog.openRun({ ...run, runId: 'open' })
  await catalog.addRange(entry())
  await catalog.putFindings([{ ...FINDING, stream: STREAM }])
  await catalog.remember(STREAM, 'order', '"x"')
  await catalog.remember('source', 'clock', '"y"')
  await catalog.raiseAlarm(STREAM, 'fence_held', 'text', 'evidence')
  await catalog.resolveAlarm(STREAM, 'fence_held')
  await catalog.raiseAlarm(STREAM, 'lane_growing', 'text', 'evidence')
}

function entry(
  range: LedgerEntry['range'] = { lower: undefined, upper: { kind: 'integer', value: 5n } },
): LedgerEntry {
  return {
    stream: STREAM,
    generation: 1,
    runId: 'r1',
    kind: 'run',
    state: 'landed',
    range,
    proof: 'proven',
    batchId: 'b1',
    readSeq: 1,
    reason: '',
  }
}
