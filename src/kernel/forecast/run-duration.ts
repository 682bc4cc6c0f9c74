import { leastSquares } from './least-squares.ts'

/** One run that is past: what it read, what stood at the destination, how long it took. */
export interface PastRun {
  readonly rows: number
  readonly targetRows: number
  readonly seconds: number
}

/** D = d₀ + d₁·rows + d₂·(rows of the target), in seconds (load-forecast L20). */
export interface DurationModel {
  readonly d0: number
  readonly d1: number
  readonly d2: number
}

/**
 * The three coefficients by least squares. None is negative: one that would be is left out, for no run is faster for
 * having more to do. Undefined with too few runs to tell.
 */
export function durationModel(runs: readonly PastRun[]): DurationModel | undefined {
  if (runs.length < FEWEST_RUNS) return undefined
  const columns = { d0: runs.map(() => 1), d1: runs.map((r) => r.rows), d2: runs.map((r) => r.targetRows) }
  const seconds = runs.map((run) => run.seconds)
  let names: (keyof DurationModel)[] = (['d0', 'd1', 'd2'] as const).filter(
    (name) => name === 'd0' || varies(columns[name]),
  )
  for (;;) {
    const found = leastSquares(
      names.map((name) => columns[name]),
      seconds,
    )
    const model: DurationModel = { d0: 0, d1: 0, d2: 0, ...nameThem(names, found) }
    const worst = names.toSorted((a, b) => model[a] - model[b])[0]
    if (worst === undefined || model[worst] >= 0) return model
    names = names.filter((name) => name !== worst)
  }
}

const FEWEST_RUNS = 5

const varies = (column: readonly number[]): boolean => new Set(column).size > 1

const nameThem = (names: readonly string[], values: readonly number[]): Record<string, number> =>
  Object.fromEntries(names.map((name, i) => [name, values[i]!]))

/** What a run reads and how often: rates in rows a second, times in seconds. */
export interface Cadence {
  readonly rate: number
  readonly period: number
  readonly overlap: number
  readonly targetRows: number
}

/** Rows read per run at k times the load, and how many of them again (load-forecast L20). */
export function rowsPerRun({ rate, period, overlap }: Cadence, k: number): { total: number; again: number } {
  return { total: k * rate * (period + overlap), again: k * rate * overlap }
}

export function runSeconds(model: DurationModel, cadence: Cadence, k: number): number {
  return model.d0 + model.d1 * rowsPerRun(cadence, k).total + model.d2 * cadence.targetRows
}

/** ρ = D/P; from 1 on the watermark falls behind without end (load-forecast L20, L21). */
export function utilisation(model: DurationModel, cadence: Cadence, k: number): number {
  return runSeconds(model, cadence, k) / cadence.period
}

/** Seconds of further runs until an outage is caught up; infinite from ρ = 1 on (load-forecast L21). */
export function catchUpSeconds(outageSeconds: number, rho: number): number {
  return rho >= 1 ? Number.POSITIVE_INFINITY : (outageSeconds * rho) / (1 - rho)
}
