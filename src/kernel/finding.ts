/** What a comparison says of one row (spec A10, A23). */
export const VERDICTS = [
  'LOST',
  'STALE',
  'BACKDATED',
  'UNBUMPED',
  'TRANSIT',
  'EXTRA',
  'KEY_CHANGED',
  'UNORDERABLE',
  'FUTURE',
  'DUPLICATE',
] as const
export type Verdict = (typeof VERDICTS)[number]

/** Why a row was lost (spec A18), in the order in which evidence is looked at. */
export const MECHANISMS = [
  'hole',
  'decree',
  'destination_loss',
  'lane',
  'late_commit',
  'backdated',
  'replica_lag',
  'tie',
  'unknown',
] as const
export type Mechanism = (typeof MECHANISMS)[number]

/** `withdrawn`: gone at the second look; `moving`: another row at every look (spec A11). */
export const FINDING_STATES = [
  'suspected',
  'confirmed',
  'moving',
  'withdrawn',
  'repaired',
  'accepted',
] as const
export type FindingState = (typeof FINDING_STATES)[number]

/** One row that is not as it should be; never deleted (spec A15). */
export interface Finding {
  readonly id: string
  /** The check that found it: its run id in the chain of records. */
  readonly checkId: string
  /** The catalog's name of the stream. */
  readonly stream: string
  readonly generation: number
  /** Canonical key text (spec F4). */
  readonly keyText: string
  /** The key for people: each column's canonical value. */
  readonly key: readonly string[]
  readonly verdict: Verdict
  readonly mechanism: Mechanism
  /** Whether evidence shows the mechanism or merely fits it. */
  readonly grade: 'shown' | 'suggested' | 'none'
  readonly state: FindingState
  /** Canonical position texts; null where there is no row. */
  readonly sourcePosition: string | null
  readonly destinationPosition: string | null
  /** Columns that differ, each with its column verdict (spec A26); empty where rows are missing. */
  readonly columns: readonly { readonly column: string; readonly how: string }[]
  /** Dates, runs, witnesses and both looks, by name; values are texts. */
  readonly evidence: Readonly<Record<string, string>>
  /** µs since 1970 by the catalog's clock. */
  readonly foundUs: string
  readonly changedUs: string
  /** Who accepted it and why, or the record that repaired it. */
  readonly closedBy: string | null
}

/** Findings that make a claim incomplete while they are open (spec A15, A54). */
export const MISSING_VERDICTS: readonly Verdict[] = ['LOST', 'STALE']
export const OPEN_STATES: readonly FindingState[] = ['suspected', 'confirmed', 'moving']
