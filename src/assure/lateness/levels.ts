import type { Measured } from '../../kernel/forecast/empirical-law.ts'
import { loadLevel } from '../../kernel/forecast/load-level.ts'
import { type Entry, emptyEntry, mergeEntries, rateOf } from './entry.ts'
import { measuredSeconds } from './sketch.ts'
import type { StoredEntry } from './store.ts'

/** Everything measured at about one rate; 0 is the busiest, −1 half of it (load-forecast L19). */
export interface Level {
  readonly level: number
  readonly rate: number
  readonly entry: Entry
}

/** The busiest rate of these entries, rows a second; 0 without one. */
export function busiestRate(stored: readonly StoredEntry[]): number {
  return stored.reduce((most, { entry }) => Math.max(most, rateOf(entry)), 0)
}

/** Entries of one way by load level, busiest first; those without a rate are left out. */
export function byLevel(stored: readonly StoredEntry[], busiest: number): readonly Level[] {
  const levels = new Map<number, Entry>()
  for (const { entry } of stored) {
    const level = loadLevel(rateOf(entry), busiest)
    if (level !== undefined) levels.set(level, mergeEntries(levels.get(level) ?? emptyEntry(), entry))
  }
  return [...levels]
    .map(([level, entry]) => ({ level, rate: rateOf(entry), entry }))
    .sort((a, b) => b.level - a.level)
}

export function allTogether(stored: readonly StoredEntry[]): Entry {
  return stored.reduce((sum, { entry }) => mergeEntries(sum, entry), emptyEntry())
}

export const measuredOf = (entry: Entry): readonly Measured[] => measuredSeconds(entry.sketch)
