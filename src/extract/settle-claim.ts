import type { StoredClaim } from '../destinations/destination.ts'
import { addToCoverage, coverageToJson } from '../kernel/coverage.ts'
import { positionFromJson } from '../kernel/position.ts'
import type { Range } from '../kernel/range.ts'
import type { Engine } from './engine.ts'
import { cutHoles } from './holes.ts'
import { adoptIntoLedger, type SettledClaim } from './new-generation.ts'
import {
  compareWithMemory,
  loadMemory,
  memoryCoverage,
  memoryOfClaim,
  memoryOfGeneration,
  type StreamMemory,
} from './progress-state.ts'
import type { StreamSettings } from './settings.ts'
import { settleWentBack } from './went-back.ts'

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
  if (relation === 'same') return { claim, memory }
  if (relation === 'first') return { claim: undefined, memory: undefined }
  if (relation === 'adopt') {
    const entry = await adoptIntoLedger(engine, settings, claim!, undefined, runId)
    const kept = memoryOfGeneration(claim!, destinationId, memory)
    return { claim, memory: kept, adopted: entry?.range, clockForgotten: !memory }
  }
  if (relation === 'ahead') return { claim, ...(await catchUp(engine, settings, claim!, memory!, runId)) }
  return settleWentBack(engine, settings, claim, memory!, destinationId, runId)
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
    memory: { ...memory, watermark, readSeq, coverage: coverageToJson(cutHoles(coverage, claim)) },
    adopted: entry?.range,
  }
}
