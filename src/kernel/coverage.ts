import { assert } from './assert.ts'
import type { LedgerEntry } from './ledger.ts'
import {
  comparePositions,
  type Position,
  type PositionJson,
  positionFromJson,
  positionToJson,
} from './position.ts'
import { leastProof, type ProofLevel } from './proof.ts'

/** What is known of `[lower, upper)` of one generation: landed, decreed, or an explicit hole (spec E14). */
export interface Segment {
  readonly lower: Position | undefined
  readonly upper: Position
  readonly state: LedgerEntry['state']
  readonly proof: ProofLevel
}

/** Disjoint segments in order: the ledger of a generation, folded. */
export type Coverage = readonly Segment[]

const RANK = { assumed: 0, measured: 1, proven: 2 } as const

/**
 * Adds an entry. A landed range fills holes and raises the proof of what it reads again, never lowers it; only a bill
 * pays a decree back (spec E39); a decree or hole replaces nothing that is landed with the same or better proof.
 */
export function addToCoverage(coverage: Coverage, entry: LedgerEntry): Coverage {
  const incoming: Segment = { ...entry.range, state: entry.state, proof: entry.proof }
  const pieces: Segment[] = []
  let rest: Segment | undefined = incoming
  for (const segment of coverage) {
    if (rest === undefined || !overlaps(segment, rest)) {
      pieces.push(segment)
      continue
    }
    if (startsBefore(rest, segment)) pieces.push({ ...rest, upper: segment.lower! })
    if (startsBefore(segment, rest)) pieces.push({ ...segment, upper: rest.lower! })
    const lower: Position | undefined = startsBefore(segment, rest) ? rest.lower : segment.lower
    const upper: Position = comparePositions(segment.upper, rest.upper) < 0 ? segment.upper : rest.upper
    pieces.push({ ...merge(segment, incoming, entry.kind), lower, upper })
    if (comparePositions(segment.upper, rest.upper) > 0) pieces.push({ ...segment, lower: rest.upper })
    rest = comparePositions(segment.upper, rest.upper) < 0 ? { ...rest, lower: segment.upper } : undefined
  }
  if (rest !== undefined) pieces.push(rest)
  return join(pieces.sort(byLower))
}

function merge(old: Segment, incoming: Segment, kind: LedgerEntry['kind']): Pick<Segment, 'state' | 'proof'> {
  if (old.state === 'hole') return incoming
  if (incoming.state === 'hole') return incoming
  if (old.state === 'decreed') return kind === 'bill' && incoming.state === 'landed' ? incoming : old
  if (incoming.state === 'decreed') return incoming
  return RANK[incoming.proof] > RANK[old.proof] ? incoming : old
}

function overlaps(a: Segment, b: Segment): boolean {
  return below(a.lower, b.upper) && below(b.lower, a.upper)
}

const below = (lower: Position | undefined, upper: Position): boolean =>
  lower === undefined || comparePositions(lower, upper) < 0

function startsBefore(a: Segment, b: Segment): boolean {
  if (b.lower === undefined) return false
  return a.lower === undefined || comparePositions(a.lower, b.lower) < 0
}

function byLower(a: Segment, b: Segment): number {
  if (a.lower === undefined || b.lower === undefined)
    return a.lower === b.lower ? 0 : a.lower === undefined ? -1 : 1
  return comparePositions(a.lower, b.lower)
}

function join(pieces: readonly Segment[]): Coverage {
  const joined: Segment[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    const touches = last && piece.lower && comparePositions(last.upper, piece.lower) === 0
    if (last && touches && last.state === piece.state && last.proof === piece.proof) {
      joined[joined.length - 1] = { ...last, upper: piece.upper }
    } else joined.push(piece)
  }
  return joined
}

/**
 * Asserts the ledger's invariant at the close of a run: landed, decreed and explicit holes together cover everything
 * below the watermark without a gap, and nothing claimed lies outside (spec E14).
 */
export function assertCovers(coverage: Coverage, watermark: Position): void {
  const first = coverage[0]
  assert(first !== undefined && first.lower === undefined, 'the ledger does not begin at -∞')
  let reached: Position = first.upper
  for (const segment of coverage.slice(1)) {
    if (comparePositions(reached, watermark) >= 0) break
    assert(
      segment.lower && comparePositions(segment.lower, reached) === 0,
      'the ledger has a gap below the watermark',
    )
    reached = segment.upper
  }
  assert(comparePositions(reached, watermark) >= 0, 'the watermark lies above what the ledger covers')
}

/** The least level of all ranges: what the claim may say (spec E19). A decree or hole makes it `assumed` (E14, E38). */
export function coverageProof(coverage: Coverage): ProofLevel {
  return coverage.reduce<ProofLevel>(
    (least, segment) => leastProof(least, segment.state === 'landed' ? segment.proof : 'assumed'),
    'proven',
  )
}

export interface SegmentJson {
  readonly lower: PositionJson | null
  readonly upper: PositionJson
  readonly state: LedgerEntry['state']
  readonly proof: ProofLevel
}

export function coverageToJson(coverage: Coverage): SegmentJson[] {
  return coverage.map(({ lower, upper, state, proof }) => ({
    lower: lower ? positionToJson(lower) : null,
    upper: positionToJson(upper),
    state,
    proof,
  }))
}

export function coverageFromJson(json: readonly SegmentJson[]): Coverage {
  return json.map(({ lower, upper, state, proof }) => ({
    lower: lower ? positionFromJson(lower) : undefined,
    upper: positionFromJson(upper),
    state,
    proof,
  }))
}
