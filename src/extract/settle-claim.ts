import type { StoredClaim, TargetTable } from '../destinations/destination.ts'
import { addToCoverage, coverageToJson } from '../kernel/coverage.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'
import { type Position, positionFromJson } from '../kernel/position.ts'
import { isEmptyRange, type Range } from '../kernel/range.ts'
import { factsOfClaim } from './completeness.ts'
import type { Engine } from './engine.ts'
import { type ClaimFacts, orderFromJson, readFacts, writeFacts } from './facts.ts'
import {
  compareWithMemory,
  loadMemory,
  memoryCoverage,
  memoryOfClaim,
  type StreamMemory,
} from './progress-state.ts'
import type { StreamSettings } from './settings.ts'

export interface SettledClaim {
  readonly claim: StoredClaim | undefined
  readonly memory: StreamMemory | undefined
  /** What was taken over from the claim, because no record tells of it. */
  readonly adopted: Range | undefined
}

/** Brings the claim beside the data and the catalog together (spec E60, E61). Throws DESTINATION_WENT_BACK. */
export async function settleClaim(
  engine: Engine,
  settings: StreamSettings,
  destinationId: string,
  runId: string,
): Promise<SettledClaim> {
  const claim = await engine.destination.claim(settings.stream)
  const memory = await loadMemory(engine, settings.catalogKey)
  const relation = compareWithMemory(claim, memory, destinationId)
  if (relation === 'same') return { claim, memory, adopted: undefined }
  if (relation === 'first') return { claim: undefined, memory: undefined, adopted: undefined }
  if (relation === 'adopt') {
    const entry = await adoptIntoLedger(engine, settings, claim!, undefined, runId)
    return { claim, memory: memoryOfClaim(claim!, destinationId), adopted: entry?.range }
  }
  if (relation === 'ahead') return { claim, ...(await catchUp(engine, settings, claim!, memory!, runId)) }
  if (settings.onDestinationWentBack === 'stop') {
    throw new PlimsollError(
      'DESTINATION_WENT_BACK',
      `${settings.stream}: the destination is older than what was landed there`,
      {
        hint: `It was restored, replaced or emptied. To go on from what it holds: onDestinationWentBack: rewind, or plimsoll state rewind ${settings.stream} --to destination --reason "…".`,
        context: {
          catalog_watermark: memory!.watermark?.value ?? null,
          destination_watermark: claim?.watermark ? String(claim.watermark.value) : null,
        },
      },
    )
  }
  const rewound = claim
    ? await newGeneration(engine, claim, memory!.generation + 1, 'destination_went_back')
    : undefined
  const entry = rewound && (await adoptIntoLedger(engine, settings, rewound, undefined, runId))
  return { claim: rewound, memory: rewound && memoryOfClaim(rewound, destinationId), adopted: entry?.range }
}

/**
 * The rows landed last are there, or the claim speaks of rows that somebody took away: dropped the table, emptied it, or
 * put an older copy under the claim (spec E60). Throws DESTINATION_WENT_BACK, or begins a generation from the start.
 */
export async function settleRows(
  engine: Engine,
  settings: StreamSettings,
  table: TargetTable,
  settled: SettledClaim,
  destinationId: string,
): Promise<SettledClaim> {
  const { claim } = settled
  if (!claim?.watermark || (await engine.destination.hasAnyKey(table, claim.tailKeys))) return settled
  if (settings.onDestinationWentBack === 'stop') {
    const { schema, name } = table.target
    throw new PlimsollError(
      'DESTINATION_WENT_BACK',
      `${settings.stream}: of the rows landed last none is in ${schema}.${name}`,
      {
        hint: `The table was dropped, emptied or replaced. To read everything again: onDestinationWentBack: rewind, or plimsoll state rewind ${settings.stream} --to start --reason "…".`,
        context: { keys_landed_last: claim.tailKeys },
      },
    )
  }
  const emptied = { ...claim, watermark: undefined }
  const rewound = await newGeneration(engine, emptied, claim.generation + 1, 'destination_went_back', claim)
  return { claim: rewound, memory: memoryOfClaim(rewound, destinationId), adopted: undefined }
}

/**
 * A landing was durable and nobody here heard of it, because the process died or the reply was lost: the claim is the
 * truth. Returns the memory that goes with it, and what was landed meanwhile, which is in the ledger now.
 */
export async function catchUp(
  engine: Engine,
  settings: StreamSettings,
  claim: StoredClaim,
  memory: StreamMemory,
  runId: string,
): Promise<{ readonly memory: StreamMemory; readonly adopted: Range | undefined }> {
  const from = memory.watermark ? positionFromJson(memory.watermark) : undefined
  const entry = await adoptIntoLedger(engine, settings, claim, from, runId)
  const coverage = entry ? addToCoverage(memoryCoverage(memory), entry) : memoryCoverage(memory)
  const { watermark, readSeq } = memoryOfClaim(claim, memory.destinationId)
  return {
    memory: { ...memory, watermark, readSeq, coverage: coverageToJson(coverage) },
    adopted: entry?.range,
  }
}

/** What the claim vouches for from `lower` on stands in the ledger too: it covers all below the watermark (spec E14). */
async function adoptIntoLedger(
  engine: Engine,
  settings: StreamSettings,
  claim: StoredClaim,
  lower: Position | undefined,
  runId: string,
): Promise<LedgerEntry | undefined> {
  const range = claim.watermark && { lower, upper: claim.watermark }
  if (!range || isEmptyRange(range)) return undefined
  const entry: LedgerEntry = {
    stream: settings.catalogKey,
    generation: claim.generation,
    runId,
    kind: 'run',
    state: 'landed',
    range,
    proof: claim.proof,
    batchId: claim.batch ?? '',
    readSeq: claim.readSeq,
    reason: 'adopted from the claim beside the data',
  }
  await engine.catalog.addRange(entry)
  return entry
}

/** Writes the claim of a new generation, with cause and parent in the facts (spec E71); `expected` stands there now. */
export async function newGeneration(
  engine: Engine,
  claim: StoredClaim,
  generation: number,
  cause: ClaimFacts['cause'],
  expected: StoredClaim = claim,
): Promise<StoredClaim> {
  const before = readFacts(claim.facts)
  const order = orderFromJson(before.order)
  const facts: ClaimFacts = {
    ...factsOfClaim(before, order, claim.watermark, before.debts ?? []),
    cause,
    parent: claim.generation,
    acceptPresent: true,
  }
  const next: StoredClaim = { ...claim, generation, facts: writeFacts(facts), tailKeys: [] }
  await engine.destination.writeClaim(next, expected)
  await engine.reach('generation.opened')
  return next
}
