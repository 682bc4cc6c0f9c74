import type { StoredClaim, TargetTable } from '../destinations/destination.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { positionToJson } from '../kernel/position.ts'
import type { Engine } from './engine.ts'
import type { Debt } from './facts.ts'
import { adoptIntoLedger, newGeneration, type SettledClaim } from './new-generation.ts'
import { compareWithMemory, memoryOfGeneration, type StreamMemory } from './progress-state.ts'
import type { RunKind } from './record.ts'
import type { StreamSettings } from './settings.ts'

/**
 * The destination is older than the catalog (spec E60): stops, or goes on from its claim in a new generation. Without a
 * claim there everything is read again.
 */
export async function settleWentBack(
  engine: Engine,
  settings: StreamSettings,
  claim: StoredClaim | undefined,
  memory: StreamMemory,
  destinationId: string,
  runId: string,
): Promise<SettledClaim> {
  if (settings.onDestinationWentBack === 'stop') throw olderError(settings, claim, memory)
  const generation = memory.generation + 1
  if (!claim)
    return {
      claim: undefined,
      memory: undefined,
      opened: { generation, parent: memory.generation, cause: 'destination_went_back' },
    }
  const next = await newGeneration(engine, claim, generation, 'destination_went_back')
  const entry = await adoptIntoLedger(engine, settings, next, undefined, runId)
  const kept = memoryOfGeneration(next, destinationId, memory)
  const debts = [...kept.debts, ...(await lostBills(engine, settings, claim))]
  return {
    claim: next,
    memory: { ...kept, debts },
    adopted: entry?.range,
    opened: { generation, parent: claim.generation, cause: 'destination_went_back' },
  }
}

/**
 * The claim is there and what it vouches for is not: the table is gone, or none of the keys that were landed last is in
 * it (spec E60). Nothing of it can be built on: everything is read again, in a new generation, or the run stops. A backfill or a repair
 * may bring such rows again.
 */
export async function settleEmptied(
  engine: Engine,
  settings: StreamSettings,
  table: TargetTable,
  settled: SettledClaim,
  destinationId: string,
  runKind: RunKind,
): Promise<SettledClaim> {
  const { claim, memory } = settled
  if (!claim?.watermark) return settled
  const bringsRows = runKind === 'backfill' || runKind === 'repair'
  const keys = bringsRows ? [] : claim.tailKeys
  if (await engine.destination.hasAnyKey(table, keys)) return settled
  if (settings.onDestinationWentBack === 'stop') throw emptiedError(settings, claim)
  const generation = Math.max(claim.generation, memory?.generation ?? 0) + 1
  const next = await newGeneration(
    engine,
    { ...claim, watermark: undefined },
    generation,
    'destination_went_back',
    claim,
  )
  return {
    claim: next,
    memory: memoryOfGeneration(next, destinationId, memory),
    opened: { generation, parent: claim.generation, cause: 'destination_went_back' },
  }
}

/**
 * The same as a plan finds it, which changes nothing: what a run would stop at, or the claim that it would go on from.
 * Asks the destination who it is only where a claim is, for a store that has none yet would be made.
 */
export async function lookWhetherWentBack(
  engine: Engine,
  settings: StreamSettings,
  claim: StoredClaim | undefined,
  memory: StreamMemory | undefined,
  table: TargetTable,
): Promise<StoredClaim | undefined> {
  const mayGoOn = settings.onDestinationWentBack === 'rewind'
  const destinationId = claim ? (await engine.destination.identity()).id : ''
  if (memory && compareWithMemory(claim, memory, destinationId) === 'went_back') {
    if (!mayGoOn) throw olderError(settings, claim, memory)
  }
  if (!claim?.watermark || (await engine.destination.hasAnyKey(table, claim.tailKeys))) return claim
  if (!mayGoOn) throw emptiedError(settings, claim)
  return { ...claim, watermark: undefined }
}

function olderError(
  { stream }: StreamSettings,
  claim: StoredClaim | undefined,
  memory: StreamMemory,
): PlimsollError {
  return new PlimsollError(
    'DESTINATION_WENT_BACK',
    `${stream}: the destination is older than what was landed there`,
    {
      hint: `It was restored, replaced or emptied. To go on from what it holds: onDestinationWentBack: rewind, or plimsoll state rewind ${stream} --to destination --reason "…".`,
      context: {
        catalog_watermark: memory.watermark?.value ?? null,
        destination_watermark: claim?.watermark ? String(claim.watermark.value) : null,
      },
    },
  )
}

function emptiedError({ stream, target }: StreamSettings, claim: StoredClaim): PlimsollError {
  return new PlimsollError(
    'DESTINATION_WENT_BACK',
    `${stream}: the rows landed last are not in ${target.schema}.${target.name} any more`,
    {
      hint: `It was dropped, emptied or replaced. To read everything again: onDestinationWentBack: rewind, or plimsoll state rewind ${stream} --to start --reason "…".`,
      context: { watermark: String(claim.watermark?.value), keys: claim.tailKeys },
    },
  )
}

/**
 * What decrees had cost may have been billed after the state that the destination went back to: what was claimed under
 * them is read again (spec E39). Their blockers are gone or listed beside.
 */
async function lostBills(engine: Engine, settings: StreamSettings, claim: StoredClaim): Promise<Debt[]> {
  const ranges = await engine.catalog.ranges(settings.catalogKey, claim.generation)
  return ranges
    .filter(({ state, readSeq, range }) => state === 'decreed' && readSeq <= claim.readSeq && range.lower)
    .map(({ range, batchId }) => ({
      key: `restored:${batchId}`,
      bound: positionToJson(range.lower!),
      since: '',
    }))
}
