import { describe, expect, test } from 'vitest'
import { comparePositions, type Position } from '../kernel/position.ts'
import { idsOf, inSourceScene, row, second } from './source-scene.ts'
import type { SourceSetup } from './source-setup.ts'

const TIES = 25

/** Ranges are half-open and slices always advance, whatever the ties (spec E10, E45, E46). */
export function rangeTests(setup: SourceSetup): void {
  describe('ranges', () => {
    test('a row at a border is in exactly one of two adjacent ranges', () =>
      inSourceScene(setup, 'borders', async ({ database, at, openReader }) => {
        await database.put([0, 1, 2, 3, 4, 5].map((n) => row(n, second(n))))
        const reader = await openReader()
        const between = (lower: number | undefined, upper: number): Promise<number[]> =>
          idsOf(reader, {
            kind: 'range',
            range: { lower: lower === undefined ? undefined : at(second(lower)), upper: at(second(upper)) },
          })
        expect(await between(undefined, 2)).toEqual([0, 1])
        expect(await between(2, 4)).toEqual([2, 3])
        expect(await between(4, 6)).toEqual([4, 5])
        expect(await between(2, 2)).toEqual([])
        expect(await between(6, 9)).toEqual([])
      }))

    test.each([1, 3, 10, 25, 1_000])(
      'slices of %i rows advance over ties and cover every row once',
      (rowCount) =>
        inSourceScene(setup, `slices of ${rowCount}`, async ({ database, at, openReader }) => {
          const ties = Array.from({ length: TIES }, (_, i) => row(100 + i, second(5)))
          await database.put([
            ...[0, 1, 2, 3, 7, 8, 9].map((n) => row(n, second(n))),
            ...ties,
            row(500, null),
          ])
          const reader = await openReader()
          const upper = at(second(9))
          const seen: number[] = []
          let from: Position | undefined
          for (let slices = 0; ; slices++) {
            expect(slices).toBeLessThan(20)
            const border: Position | undefined = await reader.nextBorder(from, upper, rowCount)
            if (border && from) expect(comparePositions(border, from)).toBeGreaterThan(0)
            if (border) expect(comparePositions(border, upper)).toBeLessThan(0)
            seen.push(
              ...(await idsOf(reader, { kind: 'range', range: { lower: from, upper: border ?? upper } })),
            )
            if (!border) break
            from = border
          }
          expect(seen.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 7, 8, ...ties.map(({ id }) => id)])
        }),
    )

    test('the n-th position above a border counts rows, not distinct positions', () =>
      inSourceScene(setup, 'nth', async ({ database, at, openReader }) => {
        await database.put([row(1, second(1)), row(2, second(2)), row(3, second(2)), row(4, second(3))])
        const reader = await openReader()
        const border = async (n: number) => reader.nextBorder(at(second(1)), at(second(9)), n)
        expect(await border(1)).toEqual(at(second(2)))
        expect(await border(2)).toEqual(at(second(2)))
        expect(await border(3)).toEqual(at(second(3)))
        expect(await border(4)).toBeUndefined()
      }))
  })
}
