import type { StoredClaim } from '../destinations/destination.ts'
import { type Coverage, coverageFromJson, coverageToJson, type SegmentJson } from '../kernel/coverage.ts'
import { comparePositions, type PositionJson, positionFromJson, positionToJson } from '../kernel/position.ts'
import type { Engine } from './engine.ts'
import { type Debt, readFacts } from './facts.ts'
import { cutHoles } from './holes.ts'
import type { HeldLease } from './lease.ts'

/** What the catalog remembers of a stream between runs, beside records and ranges. */
export interface StreamMemory {
  readonly generation: number
  readonly watermark: PositionJson | null
  readonly readSeq: number
  readonly destinationId: string
  readonly coverage: readonly SegmentJson[]
  readonly debts: readonly Debt[]
  /** Widens the next overlap once, in overlap units (spec E5, E23, E66). */
  readonly extraOverlap: string
  /** A late row below a proven watermark disproved who stamps the rows (spec E21). */
  readonly contradicted: boolean
  /** Where the next page of each long lane begins (spec E44). */
  readonly laneCursors: Readonly<Record<string, readonly string[]>>
}

const NAME = 'stream'

export async function loadMemory(
  engine: Pick<Engine, 'catalog'>,
  catalogKey: string,
): Promise<StreamMemory | undefined> {
  const text = await engine.catalog.memory(catalogKey, NAME)
  return text === undefined ? undefined : (JSON.parse(text) as StreamMemory)
}

/** Throws LEASE_FENCED_OUT when another run has taken the stream over: what it remembers stands (spec E63). */
export async function saveMemory(engine: Engine, lease: HeldLease, memory: StreamMemory): Promise<void> {
  await engine.catalog.remember(lease.lease.stream, NAME, JSON.stringify(memory), lease.lease)
}

/** The memory of a stream whose claim is adopted as it stands (first run, lost catalog, new generation). */
export function memoryOfClaim(claim: StoredClaim, destinationId: string): StreamMemory {
  const coverage: Coverage = claim.watermark
    ? [{ lower: undefined, upper: claim.watermark, state: 'landed', proof: claim.proof }]
    : []
  return {
    generation: claim.generation,
    watermark: claim.watermark ? positionToJson(claim.watermark) : null,
    readSeq: claim.readSeq,
    destinationId,
    coverage: coverageToJson(cutHoles(coverage, claim)),
    // A debt outlives the catalog, and a generation: it goes with its bill alone (spec E39).
    debts: claim.facts === '' ? [] : (readFacts(claim.facts).debts ?? []),
    extraOverlap: '0',
    contradicted: false,
    laneCursors: {},
  }
}

/**
 * The memory of a claim of another generation: decrees are owed still, and what disproved the stamps holds (spec E21,
 * E39). `before` is what was remembered of the generation before.
 */
export function memoryOfGeneration(
  claim: StoredClaim,
  destinationId: string,
  before: StreamMemory | undefined,
): StreamMemory {
  const own = memoryOfClaim(claim, destinationId)
  const owed = new Map([...own.debts, ...(before?.debts ?? [])].map((debt) => [debt.key, debt]))
  return { ...own, debts: [...owed.values()], contradicted: before?.contradicted ?? false }
}

export function memoryCoverage(memory: StreamMemory): Coverage {
  return coverageFromJson(memory.coverage)
}

/** How the claim beside the data stands to what the catalog remembers (spec E60, E61). */
export function compareWithMemory(
  claim: StoredClaim | undefined,
  memory: StreamMemory | undefined,
  destinationId: string,
): 'first' | 'adopt' | 'same' | 'ahead' | 'went_back' {
  if (!memory) return claim ? 'adopt' : 'first'
  if (!claim || memory.destinationId !== destinationId) return 'went_back'
  if (claim.generation !== memory.generation)
    return claim.generation > memory.generation ? 'adopt' : 'went_back'
  if (claim.readSeq !== memory.readSeq) return claim.readSeq > memory.readSeq ? 'ahead' : 'went_back'
  if (memory.watermark === null) return claim.watermark ? 'ahead' : 'same'
  if (!claim.watermark) return 'went_back'
  const order = comparePositions(claim.watermark, positionFromJson(memory.watermark))
  return order === 0 ? 'same' : order > 0 ? 'ahead' : 'went_back'
}
