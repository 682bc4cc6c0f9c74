import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { catchUpSeconds, durationModel, rowsPerRun, runSeconds, utilisation } from './run-duration.ts'

const six = (value: number): string => Number(value.toPrecision(6)).toString()
const model = { d0: 2, d1: 20e-6, d2: 0 }
const cadence = { rate: 3.4, period: 60, overlap: 300, targetRows: 0 }

describe('a run at k times the load', () => {
  test('duration and utilisation (L21)', () => {
    expect(six(runSeconds(model, cadence, 1))).toBe('2.02448')
    expect(six(utilisation(model, cadence, 1))).toBe('0.0337413')
    expect(six(runSeconds(model, cadence, 10))).toBe('2.2448')
  })

  test('the share read again does not change with the load (L20)', () => {
    for (const k of [1, 8, 10]) {
      const { total, again } = rowsPerRun(cadence, k)
      expect(again / total).toBeCloseTo(300 / 360, 12)
      expect(total).toBeCloseTo(k * 1224, 9)
    }
  })

  test('catching up (L21)', () => {
    expect(catchUpSeconds(3600, 0.5)).toBe(3600)
    expect(catchUpSeconds(3600, 0)).toBe(0)
    expect(catchUpSeconds(3600, 1)).toBe(Number.POSITIVE_INFINITY)
  })

  test('least squares finds the three coefficients of past runs', () => {
    const coefficient = fc.double({ min: 0, max: 10, noNaN: true })
    fc.assert(
      fc.property(coefficient, coefficient, coefficient, fc.integer(), (d0, d1, d2, seed) => {
        const runs = Array.from({ length: 50 }, (_, i) => {
          const rows = 1_000 + (((seed >>> 0) + i * 7919) % 10_007)
          const targetRows = 5e8 + i * 1e6
          return { rows, targetRows, seconds: d0 + d1 * 1e-5 * rows + d2 * 1e-9 * targetRows }
        })
        const found = durationModel(runs)!
        for (const { rows, targetRows, seconds } of runs) {
          expect(found.d0 + found.d1 * rows + found.d2 * targetRows).toBeCloseTo(seconds, 4)
        }
      }),
    )
  })

  test('a table that does not grow has no d₂; too few runs have no model; nothing is negative', () => {
    const runs = [1, 2, 3, 4, 5].map((i) => ({ rows: i * 1000, targetRows: 7, seconds: 1 + i * 0.1 }))
    const found = durationModel(runs)!
    expect(found.d0).toBeCloseTo(1, 9)
    expect(found.d1).toBeCloseTo(1e-4, 12)
    expect(found.d2).toBe(0)
    expect(durationModel(runs.slice(1))).toBeUndefined()
    const odd = runs.map((run, i) => ({ ...run, seconds: 9 - i }))
    expect(durationModel(odd)).toEqual({ d0: 7, d1: 0, d2: 0 })
  })
})
