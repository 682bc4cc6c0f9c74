import type { StoredClaim } from '../destinations/destination.ts'
import { lowerBound } from '../kernel/moment.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { ServerIdentity } from '../sources/source.ts'
import type { Checked } from './check-claim.ts'
import type { Engine } from './engine.ts'
import { readFacts, sourceFacts, writeFacts } from './facts.ts'
import { adoptIntoLedger, newGeneration, type SettledClaim } from './new-generation.ts'
import { memoryOfGeneration } from './progress-state.ts'
import type { StreamSettings } from './settings.ts'

/**
 * The source was promoted, and a declared span is to be read again (spec E66, E70): a new generation begins that much
 * lower, so that the claim does not stand for rows that the new primary may show otherwise. Its claim names the new
 * timeline at once; a run that dies then opens no second one.
 */
export async function openTimeline(
  engine: Engine,
  settings: StreamSettings,
  settled: SettledClaim,
  at: {
    readonly identity: ServerIdentity
    readonly order: PositionOrder
    readonly checked: Checked
    readonly destinationId: string
    readonly runId: string
  },
): Promise<SettledClaim> {
  const { claim, memory } = settled
  const { rewindUs, alarms } = at.checked
  if (!claim?.watermark || rewindUs === undefined) return settled
  // Whoever dies behind the new claim finds a timeline that is no news any more.
  for (const { name, text } of alarms.filter((alarm) => alarm.name === 'timeline_changed')) {
    await engine.catalog.raiseAlarm(settings.catalogKey, name, text, '')
  }
  const generation = Math.max(claim.generation, memory?.generation ?? 0) + 1
  const facts = writeFacts({ ...readFacts(claim.facts), source: sourceFacts(at.identity) })
  const lowered = { ...rewound(claim, at.order, rewindUs), facts }
  const next = await newGeneration(engine, lowered, generation, 'timeline_changed', claim)
  await adoptIntoLedger(engine, settings, next, undefined, at.runId)
  return {
    ...settled,
    claim: next,
    memory: memoryOfGeneration(next, at.destinationId, memory),
    opened: { generation, parent: claim.generation, cause: 'timeline_changed' },
  }
}

/** The claim that much lower. */
export function rewound(claim: StoredClaim, order: PositionOrder, rewindUs: bigint): StoredClaim {
  return { ...claim, watermark: claim.watermark && lowerBound(order, claim.watermark, rewindUs) }
}
