import { describe, expect, test } from 'vitest'
import type { Destination } from '../destinations/destination.ts'
import type { LookScope } from '../kernel/fingerprint/comparison.ts'
import type { LookedRow } from '../sources/look.ts'
import { failure } from './destination-expect.ts'
import { at, type TestRow } from './destination-rows.ts'
import { type DestinationSetup, inScene, type Scene } from './destination-setup.ts'
import { column, ordersTable, startStream } from './destination-stream.ts'
import { expectedRow, lookLimits, streamPlan, withLook } from './look-expect.ts'
import { ALL, expectSums, ORDERED, rowsOf, UNORDERED, WORDS } from './look-rows.ts'

const T = '2026-03-01 10:00:00'
const LONG = 'é'.repeat(2_049)

const PAYLOADS = ['', 'a', 'A', 'a ', 'N', 'v1:N', ';', 'it\'s "so"', 'ß', 'e\u0301', 'é', LONG, null]
const ROWS: readonly TestRow[] = PAYLOADS.map((note, i) => [`${i}`, `2026-03-01 10:00:${10 + i}`, note])

/** A look computes beside the data what the program would compute from the rows (spec F1 to F5, F28 to F31, A6). */
export function lookTests(setup: DestinationSetup): void {
  describe('looks', () => {
    const inLooks = (name: string, run: (scene: Scene, destination: Destination) => Promise<void>) =>
      inScene(setup, name, async (scene) => {
        const destination = await scene.open()
        if (destination.capabilities.pushdownFingerprint) await run(scene, destination)
      })

    test('rows and sums are those that the program computes (F2 to F5)', () =>
      inLooks('look sums', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land(ROWS)
        for (const digest of ['md5', 'sha256'] as const) {
          const plan = await streamPlan(stream, digest)
          await withLook(stream, plan, async (look) => {
            for (const word of WORDS) {
              const expected = ROWS.map((row) => expectedRow(plan, stream, row, word))
              expect(await expectSums(look, ALL, word)).toEqual(byDigest(expected).map(asLooked))
            }
          })
        }
      }))

    test('an empty table has no sums and no rows', () =>
      inLooks('look empty', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await withLook(stream, await streamPlan(stream), async (look) => {
          expect((await look.sums(ALL, 'row', 3)).size).toBe(0)
          expect(await rowsOf(look, ALL, 'row')).toEqual([])
          expect(await look.find(['1'], 'row')).toEqual([])
          expect((await look.duplicates?.(10)) ?? []).toEqual([])
        })
      }))

    test('the rows of some buckets are those rows, and no others (F29)', () =>
      inLooks('look pick', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land(Array.from({ length: 300 }, (_, i) => [`${i}`, T, `n${i}`]))
        await withLook(stream, await streamPlan(stream), async (look) => {
          const all = await rowsOf(look, ALL, 'row')
          expect(all).toEqual(byDigest(all))
          const buckets = new Set(['0', '7', 'f'])
          const picked = all.filter(({ keyDigest }) => buckets.has(keyDigest[0]!))
          expect(picked.length).toBeGreaterThan(10)
          expect(await rowsOf(look, ALL, 'row', { digits: 1, buckets })).toEqual(picked)
          expect(await rowsOf(look, ALL, 'row', { digits: 2, buckets: new Set() })).toEqual([])
        })
      }))

    test('keys that are left out are in no later ordered sum and row, and only there (A9)', () =>
      inLooks('look leave out', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land([...ROWS, ['100', null, 'no place'], ['101', 'infinity', 'no place']])
        await withLook(stream, await streamPlan(stream), async (look) => {
          const count = async (scope: LookScope) => {
            const rows = (await rowsOf(look, scope, 'row')).length
            const sums = [...(await look.sums(scope, 'row', 2)).values()]
            expect(sums.reduce((sum, { rowCount }) => sum + rowCount, 0n)).toBe(BigInt(rows))
            return rows
          }
          expect(await count(ORDERED)).toBe(13)
          await look.leaveOut(['0', '1', '100', 'not there'])
          expect([await count(ORDERED), await count(ALL), await count(UNORDERED)]).toEqual([11, 15, 2])
          expect(await look.find(['0'], 'row')).toHaveLength(1)
          await look.leaveOut(['2'])
          expect(await count(ORDERED)).toBe(12)
          await look.leaveOut([])
          expect(await count(ORDERED)).toBe(13)
        })
      }))

    test('rows are found by every kind of key, with the text of each column (F30)', () =>
      inLooks('look find', async (scene, destination) => {
        const columns = [
          column('a', { name: 'text' }),
          column('b', { name: 'int8' }),
          column('at', { name: 'timestamptz' }),
          column('note', { name: 'text' }),
        ]
        const table = ordersTable(scene, { columns, key: ['a', 'b'], nullKeys: 'match' })
        const stream = await startStream(scene, destination, table)
        const keys = ['', 'a;b', 'a;b;', "';--", 'N', LONG, null]
        const rows: TestRow[] = keys.map((key, i) => [key, i % 2 ? null : `${i}`, T, `n${i}`])
        await stream.land(rows)
        const plan = await streamPlan(stream)
        await withLook(stream, plan, async (look) => {
          const expected = rows.map((row) => expectedRow(plan, stream, row, 'row'))
          const found = await look.find([...expected.map(({ keyText }) => keyText), 'v1:x;1'], 'row')
          expect(byDigest(found)).toEqual(byDigest(expected))
          expect(await look.find([], 'row')).toEqual([])
          expect((await look.duplicates?.(10)) ?? []).toEqual([])
        })
      }))

    test('a table without key is a bag: rows that stand twice count twice (F31)', () =>
      inLooks('look bag', async (scene, destination) => {
        const stream = await startStream(
          scene,
          destination,
          ordersTable(scene, { key: [], appendOnly: true }),
        )
        const [once, twice]: TestRow[] = [
          ['1', T, 'once'],
          ['2', T, 'twice'],
        ]
        await stream.land([once!, twice!, twice!], { upper: at('2026-03-02') })
        const plan = await streamPlan(stream)
        await withLook(stream, plan, async (look) => {
          const expected = [once, twice, twice].map((row) => expectedRow(plan, stream, row!, 'row'))
          expect(await rowsOf(look, ALL, 'row')).toEqual(byDigest(expected).map(asLooked))
          if (look.duplicates) expect(await look.duplicates(10)).toEqual([expected[1]!.keyText])
          expect(await look.find([expected[1]!.keyText], 'row')).toHaveLength(2)
        })
      }))

    test('bounds are half-open; what has no place is unordered; together they are the table (A8)', () =>
      inLooks('look scopes', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        const bc = '0044-03-15 (BC) 12:00:00'
        const moments = ['0001-01-01 00:00:00', `${T}.000001`, `${T}.000002`, '9999-12-31 23:59:59.999999']
        const rows: TestRow[] = [...moments, null, 'infinity', '-infinity', bc].map((moment, i) => [
          `${i}`,
          moment,
          null,
        ])
        await stream.land(rows)
        await withLook(stream, await streamPlan(stream), async (look) => {
          const ids = async (scope: LookScope) =>
            (await rowsOf(look, scope, 'row')).map(({ keyText }) => keyText).sort()
          expect(await ids(ORDERED)).toEqual(['0', '1', '2', '3'])
          expect(await ids(UNORDERED)).toEqual(['4', '5', '6', '7'])
          const [lower, upper] = [at(`${T}.000001`), at(`${T}.000002`)]
          expect(await ids({ rows: 'ordered', lower, upper })).toEqual(['1'])
          expect(await ids({ rows: 'ordered', upper })).toEqual(['0', '1'])
          expect(await ids({ rows: 'ordered', lower })).toEqual(['1', '2', '3'])
        })
      }))

    test('claim and rows are of one snapshot, which a landing does not move (A6)', () =>
      inLooks('look snapshot', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land([['1', T, 'a']])
        const request = { table: stream.table, plan: await streamPlan(stream), ...lookLimits }
        const { look, claim } = await destination.openLook(request)
        try {
          const before = await look.sums(ALL, 'row', 1)
          await stream.land([
            ['1', T, 'b'],
            ['2', T, 'c'],
          ])
          expect(claim?.readSeq).toBe(1)
          expect(await look.sums(ALL, 'row', 1)).toEqual(before)
          expect(await rowsOf(look, ALL, 'row')).toHaveLength(1)
          expect(await look.find(['2'], 'row')).toEqual([])
        } finally {
          await look.close()
        }
        await look.close()
        const later = await destination.openLook(request)
        expect(later.claim?.readSeq).toBe(2)
        expect(await rowsOf(later.look, ALL, 'row')).toHaveLength(2)
        await later.look.close()
      }))

    test('a query beyond its limit is no answer (F9)', () =>
      inLooks('look limit', async (scene, destination) => {
        const stream = await startStream(scene, destination, ordersTable(scene))
        await stream.land(Array.from({ length: 20_000 }, (_, i) => [`${i}`, T, `note ${i}`]))
        const limits = { queryMaxMs: 5, lockTimeoutMs: 5_000 }
        const asked = async () => {
          const { look } = await destination.openLook({
            table: stream.table,
            plan: await streamPlan(stream),
            ...limits,
          })
          try {
            for (let i = 0; i < 100; i++) await look.sums(ALL, 'row', 5)
          } finally {
            await look.close()
          }
        }
        await failure('DESTINATION_FAILED', asked())
        await withLook(stream, await streamPlan(stream), async (look) => {
          expect(await rowsOf(look, ALL, 'row')).toHaveLength(20_000)
        })
      }))

    test('the target is gone: DESTINATION_WENT_BACK, and no claim where none was written', async (context) =>
      inLooks('look gone', async (scene, destination) => {
        if (!scene.store.execute) return context.skip()
        const stream = await startStream(scene, destination, ordersTable(scene))
        const request = { table: stream.table, plan: await streamPlan(stream), ...lookLimits }
        const stranger = { ...request, table: { ...request.table, stream: 'nobody' } }
        const { look, claim } = await destination.openLook(stranger)
        expect(claim).toBeUndefined()
        await look.close()
        await scene.store.execute(`drop table "${scene.store.schema}"."orders"`)
        await failure('DESTINATION_WENT_BACK', destination.openLook(request))
      }))
  })
}

const asLooked = ({ keyText, keyDigest, position, word }: LookedRow): LookedRow => ({
  keyText,
  keyDigest,
  position,
  word,
})

/** In the order in which rows of a look come. */
function byDigest<T extends LookedRow>(rows: readonly T[]): T[] {
  const order = ({ keyDigest, keyText }: LookedRow) => `${keyDigest} ${keyText}`
  return [...rows].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}
