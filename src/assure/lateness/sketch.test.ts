import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addTo,
  countAbove,
  emptySketch,
  measuredSeconds,
  mergeInto,
  type Sketch,
  sketchCount,
  sketchFromJson,
  sketchMean,
  sketchQuantile,
  sketchToJson,
} from './sketch.ts'

const of = (values: readonly number[]): Sketch => {
  const sketch = emptySketch()
  for (const value of values) addTo(sketch, value)
  return sketch
}
const through = (sketch: Sketch): Sketch => sketchFromJson(JSON.parse(JSON.stringify(sketchToJson(sketch))))
const lateness = fc.oneof(fc.nat(5), fc.integer({ min: 0, max: 3_000_000_000 }))

describe('a sketch of latenesses (A37)', () => {
  test('quantiles are exact to 1 %, sum and extremes wholly', () => {
    fc.assert(
      fc.property(
        fc.array(lateness, { minLength: 1, maxLength: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, q) => {
          const sketch = of(values)
          const sorted = values.toSorted((a, b) => a - b)
          const exact = sorted[Math.floor(q * (values.length - 1))]!
          const found = sketchQuantile(sketch, q)
          expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.0101)
          expect(sketchMean(sketch)).toBeCloseTo(values.reduce((a, b) => a + b, 0) / values.length, 3)
          expect([sketch.least, sketch.most]).toEqual([sorted[0], sorted.at(-1)])
        },
      ),
    )
  })

  test('kept and merged by day it says what one sketch of all would', () => {
    const days = fc.array(fc.array(lateness, { maxLength: 40 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(days, (all) => {
        const merged = emptySketch()
        for (const day of all) mergeInto(merged, through(of(day)))
        const whole = of(all.flat())
        expect(sketchCount(merged)).toBe(sketchCount(whole))
        expect({ ...sketchToJson(merged), sum: 0 }).toEqual({ ...sketchToJson(whole), sum: 0 })
        expect(sketchToJson(merged).sum).toBeCloseTo(sketchToJson(whole).sum, 3)
      }),
    )
  })

  test('values of the bin with the number 0 survive a merge', () => {
    const merged = of([100])
    mergeInto(merged, through(of([1, 0.5])))
    expect(sketchCount(merged)).toBe(3)
    expect(countAbove(merged, 0.9)).toBe(2)
  })

  test('nothing in, nothing out', () => {
    expect(measuredSeconds(through(emptySketch()))).toEqual([])
    const sketch = of([0, 0, 2_000_000])
    expect(measuredSeconds(sketch)[0]).toEqual({ seconds: 0, count: 2 })
    expect(countAbove(sketch, 1_000_000)).toBe(1)
  })
})
