import { describe, expect, test } from 'vitest'
import { LANES, type Lane } from '../kernel/lane.ts'
import type { Reader } from '../sources/source.ts'
import { idsOf, inSourceScene, row, type SourceScene, second } from './source-scene.ts'
import type { SourceSetup } from './source-setup.ts'

const DAY_US = 86_400_000_000n
const LIMIT = 100

/** Every row is in the range, beyond the fence, or in exactly one lane (spec E43, E44). */
export function laneTests(setup: SourceSetup): void {
  describe('lanes', () => {
    test('range, peek and lanes part the table', () =>
      inSourceScene(setup, 'lanes part', async (scene) => {
        const { database } = scene
        const { t0 } = await scene.fence()
        const ordinary = [row(1, second(1)), row(2, second(2))]
        const beyond = [row(11, second(50)), row(12, second(60))]
        const future = [row(21, BigInt(t0) - (BigInt(t0) % 1_000_000n) + 30n * DAY_US)]
        await database.put([...ordinary, ...beyond, ...future, row(31, null), row(32, null), row(33, null)])
        const expected: Partial<Record<Lane, number[]>> = { null: [31, 32, 33], future: [21] }
        for (const [i, [lane, put]] of Object.entries(database.putInLane ?? {}).entries()) {
          await put(41 + i)
          expected[lane as Lane] = [41 + i]
        }
        const reader = await scene.openReader(BigInt(t0))
        const upper = scene.at(second(50))
        expect(await idsOf(reader, { kind: 'range', range: { lower: undefined, upper } })).toEqual([1, 2])
        expect(await idsOf(reader, { kind: 'peek', from: upper })).toEqual([11, 12])
        expect(await reader.newest()).toEqual(scene.at(second(60)))
        await expectLanes(reader, expected)
      }))

    test('a lane is read on after the last key', () =>
      inSourceScene(setup, 'lane pages', async ({ database, openReader }) => {
        await database.put([5, 1, 9, 30, 200].map((id) => row(id, null)))
        const reader = await openReader()
        const pages: number[][] = []
        let afterKey: readonly string[] | undefined
        do {
          const stream = reader.read({ kind: 'lane', lane: 'null', limit: 2, afterKey })
          stream.bytes.resume()
          const done = await stream.done
          pages.push(await idsOf(reader, { kind: 'lane', lane: 'null', limit: 2, afterKey }))
          afterKey = done.lastKey
        } while (pages.at(-1)!.length === 2)
        expect(pages).toEqual([[1, 5], [9, 30], [200]])
      }))

    test('counts stop just above the limit', () =>
      inSourceScene(setup, 'lane limit', async ({ database, openReader }) => {
        await database.put([1, 2, 3, 4, 5].map((id) => row(id, null)))
        const reader = await openReader()
        expect((await reader.countLanes(5)).null).toBe(5)
        expect((await reader.countLanes(3)).null).toBe(4)
      }))

    test('a row that gets a position leaves its lane and is read once', () =>
      inSourceScene(setup, 'leaving', async (scene) => {
        await scene.database.put([row(1, null), row(2, null)])
        await scene.database.put([row(1, second(3), 'moved')])
        const reader = await scene.openReader()
        expect(await idsOf(reader, laneScope('null'))).toEqual([2])
        const upper = scene.at(second(4))
        expect(await idsOf(reader, { kind: 'range', range: { lower: undefined, upper } })).toEqual([1])
      }))

    test('an empty table has neither rows nor a newest position', () =>
      inSourceScene(setup, 'empty', async (scene: SourceScene) => {
        const reader = await scene.openReader()
        const upper = scene.at(second(4))
        expect(await reader.newest()).toBeUndefined()
        expect(await reader.nextBorder(undefined, upper, 1)).toBeUndefined()
        expect(await idsOf(reader, { kind: 'range', range: { lower: undefined, upper } })).toEqual([])
        await expectLanes(reader, {})
      }))
  })
}

const laneScope = (lane: Lane) => ({ kind: 'lane', lane, limit: LIMIT, afterKey: undefined }) as const

async function expectLanes(reader: Reader, expected: Partial<Record<Lane, number[]>>): Promise<void> {
  const counts = await reader.countLanes(LIMIT)
  for (const lane of LANES) {
    const ids = expected[lane] ?? []
    expect([lane, counts[lane] ?? 0]).toEqual([lane, ids.length])
    if (lane in counts) expect([lane, await idsOf(reader, laneScope(lane))]).toEqual([lane, ids])
  }
}
