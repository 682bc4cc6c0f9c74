/** What a run did to the claim (spec E15). */
export type Outcome = 'advanced' | 'empty' | 'held' | 'partial'

export interface RunFacts {
  readonly watermarkMoved: boolean
  readonly rowsRead: number
  /** Slices of the range that were not landed. */
  readonly unfinished: boolean
}

/** Total: every combination of facts has exactly one outcome. */
export function runOutcome(facts: RunFacts): Outcome {
  if (facts.unfinished) return 'partial'
  if (!facts.watermarkMoved) return 'held'
  return facts.rowsRead > 0 ? 'advanced' : 'empty'
}
