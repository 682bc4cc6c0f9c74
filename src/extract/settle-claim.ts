import type { StoredClaim } from '../destinations/destination.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { Engine } from './engine.ts'
import { type ClaimFacts, readFacts, writeFacts } from './facts.ts'
import { compareWithMemory, loadMemory, memoryOfClaim, type StreamMemory } from './progress-state.ts'
import type { StreamSettings } from './settings.ts'

export interface SettledClaim {
  readonly claim: StoredClaim | undefined
  readonly memory: StreamMemory | undefined
}

/** Brings the claim beside the data and the catalog together (spec E60, E61). Throws DESTINATION_WENT_BACK. */
export async function settleClaim(
  engine: Engine,
  settings: StreamSettings,
  destinationId: string,
): Promise<SettledClaim> {
  const claim = await engine.destination.claim(settings.stream)
  const memory = await loadMemory(engine, settings.catalogKey)
  const relation = compareWithMemory(claim, memory, destinationId)
  if (relation === 'same') return { claim, memory }
  if (relation === 'first') return { claim: undefined, memory: undefined }
  if (relation === 'adopt') return { claim, memory: memoryOfClaim(claim!, destinationId) }
  if (relation === 'ahead') {
    // A landing was durable and the process died before the catalog heard of it: the claim is the truth.
    const caughtUp = memoryOfClaim(claim!, destinationId)
    return {
      claim,
      memory: {
        ...memory!,
        watermark: caughtUp.watermark,
        readSeq: caughtUp.readSeq,
        coverage: caughtUp.coverage,
      },
    }
  }
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
  return { claim: rewound, memory: rewound ? memoryOfClaim(rewound, destinationId) : undefined }
}

/** Writes the claim of a new generation, with cause and parent in the facts (spec E71); `expected` stands there now. */
export async function newGeneration(
  engine: Engine,
  claim: StoredClaim,
  generation: number,
  cause: ClaimFacts['cause'],
  expected: StoredClaim = claim,
): Promise<StoredClaim> {
  const facts: ClaimFacts = {
    ...readFacts(claim.facts),
    cause,
    parent: claim.generation,
    acceptPresent: true,
  }
  const next: StoredClaim = { ...claim, generation, facts: writeFacts(facts), tailKeys: [] }
  await engine.destination.writeClaim(next, expected)
  await engine.reach('generation.opened')
  return next
}
