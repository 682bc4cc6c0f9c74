import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addToCoverage,
  assertCovers,
  type Coverage,
  coverageFromJson,
  coverageProof,
  coverageToJson,
} from './coverage.ts'
import type { LedgerEntry } from './ledger.ts'
import type { Position } from './position.ts'
import type { ProofLevel } from './proof.ts'

const at = (value: number): Position => ({ kind: 'integer', value: BigInt(value) })

const entry = (lower: number | undefined, upper: number, part: Partial<LedgerEntry> = {}): LedgerEntry => ({
  stream: 's',
  generation: 1,
  runId: 'r',
  kind: 'run',
  state: 'landed',
  range: { lower: lower === undefined ? undefined : at(lower), upper: at(upper) },
  proof: 'proven',
  batchId: 'b',
  readSeq: 1,
  reason: '',
  ...part,
})

const arbitraryEntry = fc
  .record({
    lower: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
    size: fc.integer({ min: 1, max: 12 }),
    state: fc.constantFrom('landed' as const, 'decreed' as const, 'hole' as const),
    proof: fc.constantFrom<ProofLevel>('proven', 'measured', 'assumed'),
    kind: fc.constantFrom('run' as const, 'bill' as const, 'backfill' as const),
  })
  .map(({ lower, size, ...part }) => entry(lower, (lower ?? 0) + size, part))

/** The same ledger, point by point: slow and obvious. */
function pointwise(entries: readonly LedgerEntry[]): Map<number, { state: string; proof: ProofLevel }> {
  const rank = { assumed: 0, measured: 1, proven: 2 }
  const points = new Map<number, { state: string; proof: ProofLevel }>()
  for (const { range, state, proof, kind } of entries) {
    for (let x = range.lower ? Number(range.lower.value) : -1; x < Number(range.upper.value); x++) {
      const old = points.get(x)
      const keep =
        old &&
        old.state !== 'hole' &&
        state !== 'hole' &&
        (old.state === 'decreed'
          ? !(kind === 'bill' && state === 'landed')
          : state !== 'decreed' && rank[proof] <= rank[old.proof])
      if (!keep) points.set(x, { state, proof })
    }
  }
  return points
}

describe('the ledger (E14)', () => {
  test('folding agrees with a point by point ledger', () => {
    fc.assert(
      fc.property(fc.array(arbitraryEntry, { maxLength: 12 }), (entries) => {
        const coverage = entries.reduce<Coverage>(addToCoverage, [])
        const found = new Map<number, { state: string; proof: ProofLevel }>()
        for (const { lower, upper, state, proof } of coverage) {
          for (let x = lower ? Number(lower.value) : -1; x < Number(upper.value); x++) {
            expect(found.has(x)).toBe(false)
            found.set(x, { state, proof })
          }
        }
        expect([...found].sort(([a], [b]) => a - b)).toEqual(
          [...pointwise(entries)].sort(([a], [b]) => a - b),
        )
      }),
      { numRuns: 1000 },
    )
  })

  test('runs that begin below the last upper bound cover everything, whatever crashes between', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 5 })), { minLength: 1 }),
        (steps) => {
          let coverage: Coverage = []
          let watermark: number | undefined
          for (const [size, overlap] of steps) {
            const lower = watermark === undefined ? undefined : watermark - overlap
            const upper: number = (watermark ?? 0) + size
            coverage = addToCoverage(coverage, entry(lower, upper))
            watermark = upper
            assertCovers(coverage, at(watermark))
          }
          expect(coverage).toHaveLength(1)
        },
      ),
    )
  })

  test('a gap, a claim above the ledger and a ledger that does not begin at -∞ are caught', () => {
    const gap = [entry(undefined, 5), entry(7, 9)].reduce<Coverage>(addToCoverage, [])
    expect(() => assertCovers(gap, at(9))).toThrow(/gap/)
    expect(() => assertCovers(gap, at(5))).not.toThrow()
    expect(() => assertCovers(addToCoverage([], entry(undefined, 5)), at(6))).toThrow(/above/)
    expect(() => assertCovers(addToCoverage([], entry(1, 5)), at(5))).toThrow(/-∞/)
    expect(() => assertCovers([], at(5))).toThrow(/-∞/)
  })

  test('an explicit hole covers, and makes the claim assumed until it is filled', () => {
    const holed = [entry(undefined, 5), entry(5, 7, { state: 'hole' }), entry(7, 9)].reduce<Coverage>(
      addToCoverage,
      [],
    )
    assertCovers(holed, at(9))
    expect(coverageProof(holed)).toBe('assumed')
    expect(coverageProof(addToCoverage(holed, entry(5, 7, { kind: 'backfill' })))).toBe('proven')
  })

  test('only a bill pays a decree back (E39)', () => {
    const decreed = [
      entry(undefined, 5),
      entry(5, 9, { state: 'decreed', proof: 'assumed' }),
    ].reduce<Coverage>(addToCoverage, [])
    expect(coverageProof(addToCoverage(decreed, entry(3, 9)))).toBe('assumed')
    expect(coverageProof(addToCoverage(decreed, entry(5, 9, { kind: 'bill' })))).toBe('proven')
  })

  test('survives JSON', () => {
    fc.assert(
      fc.property(fc.array(arbitraryEntry, { maxLength: 8 }), (entries) => {
        const coverage = entries.reduce<Coverage>(addToCoverage, [])
        expect(coverageFromJson(JSON.parse(JSON.stringify(coverageToJson(coverage))))).toEqual(coverage)
      }),
    )
  })
})
