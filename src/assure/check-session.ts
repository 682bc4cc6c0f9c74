import type { StoredClaim, TargetTable } from '../destinations/destination.ts'
import { checkAgainstClaim } from '../extract/check-claim.ts'
import { type Choice, choose } from '../extract/choose.ts'
import { comparisonPlan } from '../extract/comparison-plan.ts'
import type { Engine } from '../extract/engine.ts'
import { readFacts } from '../extract/facts.ts'
import type { StreamSettings } from '../extract/settings.ts'
import { targetTable } from '../extract/target-table.ts'
import type { ComparisonPlan } from '../kernel/fingerprint/comparison.ts'
import type { Look, LookLimits } from '../sources/look.ts'
import type { ServerIdentity, TableShape } from '../sources/source.ts'
import { NotLooked } from './not-looked.ts'

/** One stream while a check looks at it. Takes no lease and writes nothing at source or destination (spec A5). */
export interface CheckSession {
  readonly engine: Engine
  readonly settings: StreamSettings
  readonly identity: ServerIdentity
  readonly shape: TableShape
  readonly choice: Choice
  readonly table: TargetTable
  readonly plan: ComparisonPlan
  readonly limits: LookLimits
  /** Partitions that were there when the claim was written and are not now: their rows were not deleted (spec A27). */
  readonly goneParts: number
}

/** Both sides, destination first, so that every difference below the settled bound is real (spec A6). */
export interface BothLooks {
  readonly claim: StoredClaim
  readonly source: Look
  readonly destination: Look
  close(): Promise<void>
}

/**
 * Looks at source and claim as a run would, without a lease. Throws NotLooked where nothing was claimed yet; errors of
 * identity and schema as a run has them: a changed server is no difference (spec A2, E66).
 */
export async function openCheck(engine: Engine, settings: StreamSettings): Promise<CheckSession> {
  const { source, destination } = engine
  if (!source.capabilities.pushdownFingerprint || !destination.capabilities.pushdownFingerprint) {
    throw new NotLooked('source', 'this kind of source or destination cannot be compared')
  }
  const identity = await source.identity()
  const shape = await source.describe(settings.table, settings.position)
  const choice = choose(settings, shape)
  const claim = await destination.claim(settings.stream)
  if (!claim) throw new NotLooked('destination', 'nothing was ever claimed here: run the table first')
  checkAgainstClaim(settings, claim, identity, shape, choice)
  const plan = await comparisonPlan(engine, settings, shape, choice)
  return {
    engine,
    settings,
    identity,
    shape,
    choice,
    table: targetTable(settings, shape, choice),
    plan,
    goneParts: partitionsGone(claim.facts, shape),
    limits: { queryMaxMs: settings.limits.checkQueryMaxMs, lockTimeoutMs: settings.limits.lockTimeoutMs },
  }
}

function partitionsGone(facts: string, { partitions = [] }: TableShape): number {
  const there = new Set(partitions.map(({ objectId }) => objectId))
  return (readFacts(facts).partitions ?? []).filter((id) => !there.has(id)).length
}

/**
 * Destination first, source second, from a server that has replayed everything the source had when the destination was
 * looked at (spec A6, E29).
 */
export async function openLooks(check: CheckSession): Promise<BothLooks> {
  const { engine, shape, choice, plan, limits, settings } = check
  const { look, claim } = await engine.destination.openLook({ table: check.table, plan, ...limits })
  try {
    if (!claim?.watermark) throw new NotLooked('destination', 'nothing was claimed yet: run the table first')
    const after = (await engine.source.identity()).logPosition
    const source = await engine.source.openLook({
      shape,
      plan,
      order: choice.order,
      asText: settings.asText,
      after,
      replicaWaitMs: settings.limits.replicaWaitMs,
      ...limits,
    })
    return {
      claim,
      source,
      destination: look,
      close: async () => void (await Promise.all([source.close(), look.close()])),
    }
  } catch (error) {
    await look.close()
    throw error
  }
}
