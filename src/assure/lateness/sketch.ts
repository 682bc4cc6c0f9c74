import { DDSketch } from '@datadog/sketches-js'
import type { Measured } from '../../kernel/forecast/empirical-law.ts'

/** Of every value that comes out (assurance A37). */
export const RELATIVE_ACCURACY = 0.01

/**
 * Values of 0 and more, each exact to 1 %: latenesses in µs, or depths in counts. Sum and extremes are exact. The bins
 * are the library's; they are written and merged here, for its own way needs another package and its merge mistakes
 * bin 0 for none.
 */
export interface Sketch {
  readonly bins: DDSketch
  least: number
  most: number
}

export interface SketchJson {
  readonly zeros: number
  readonly sum: number
  readonly least: number
  readonly most: number
  /** Count by the library's bin number. */
  readonly bins: readonly (readonly [number, number])[]
}

export function emptySketch(): Sketch {
  return { bins: new DDSketch({ relativeAccuracy: RELATIVE_ACCURACY }), least: Infinity, most: 0 }
}

export function addTo(sketch: Sketch, value: number, weight = 1): void {
  sketch.bins.accept(value, weight)
  sketch.least = Math.min(sketch.least, value)
  sketch.most = Math.max(sketch.most, value)
}

export const sketchCount = (sketch: Sketch): number => sketch.bins.count

export const sketchMean = (sketch: Sketch): number => sketch.bins.sum / sketch.bins.count

/** The value at a quantile of a sketch that is not empty, never beyond what was added. */
export function sketchQuantile(sketch: Sketch, quantile: number): number {
  const value = sketch.bins.getValueAtQuantile(quantile)
  return Math.min(sketch.most, Math.max(sketch.least, value))
}

/** How many values lie above `limit`, to the bin. */
export function countAbove(sketch: Sketch, limit: number): number {
  return filledBins(sketch).reduce((sum, [value, count]) => (value > limit ? sum + count : sum), 0)
}

export function mergeInto(sketch: Sketch, other: Sketch): void {
  addBins(sketch, sketchToJson(other))
}

export function sketchToJson({ bins, least, most }: Sketch): SketchJson {
  const { store } = bins
  const filled = store.bins.flatMap((count, i) => (count > 0 ? [[i + store.offset, count] as const] : []))
  return { zeros: bins.zeroCount, sum: bins.sum, least: least === Infinity ? 0 : least, most, bins: filled }
}

export function sketchFromJson(json: SketchJson): Sketch {
  const sketch = emptySketch()
  addBins(sketch, json)
  return sketch
}

/**
 * The sketch as latenesses in seconds for the empirical law (load-forecast L13). The largest stands for its bin exactly:
 * margins are made of it.
 */
export function measuredSeconds(sketch: Sketch): readonly Measured[] {
  const zeros = sketch.bins.zeroCount > 0 ? [[0, sketch.bins.zeroCount] as const] : []
  const filled = filledBins(sketch)
  const measured = [...zeros, ...filled].map(([value, count]) => ({ seconds: value / 1e6, count }))
  const last = measured.at(-1)
  return last === undefined ? [] : [...measured.slice(0, -1), { ...last, seconds: sketch.most / 1e6 }]
}

/** Value and count of each bin above 0. */
function filledBins({ bins }: Sketch): readonly (readonly [number, number])[] {
  const { store, mapping } = bins
  return store.bins.flatMap((count, i) =>
    count > 0 ? [[mapping.value(i + store.offset), count] as const] : [],
  )
}

function addBins(sketch: Sketch, json: SketchJson): void {
  if (json.zeros === 0 && json.bins.length === 0) return
  const { bins } = sketch
  const sum = bins.sum + json.sum
  if (json.zeros > 0) bins.accept(0, json.zeros)
  for (const [key, count] of json.bins) bins.accept(bins.mapping.value(key), count)
  bins.sum = sum
  sketch.least = Math.min(sketch.least, json.least)
  sketch.most = Math.max(sketch.most, json.most)
}
