import type { Engine } from '../../extract/engine.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import type { LatenessKnowledge } from '../audit/lateness-knowledge.ts'
import { JUDGED_DAYS } from './history.ts'
import { allTogether } from './levels.ts'
import { loadSamplerHistory, type SamplerHistory } from './sampler-history.ts'
import { samplerScope } from './sampler-log.ts'
import { sketchCount } from './sketch.ts'
import { KEPT_DAYS, loadStore } from './store.ts'

/** What measuring and sampling say for the attribution of lost rows (assurance A18 to A20). */
export async function latenessKnowledge(
  { catalog, source }: Pick<Engine, 'catalog' | 'source'>,
  { catalogKey, limits }: Pick<StreamSettings, 'catalogKey' | 'limits'>,
): Promise<LatenessKnowledge> {
  const nowUs = catalog.nowUs()
  const scope = samplerScope(await source.identity())
  const history = await loadSamplerHistory(catalog, scope, nowUs, KEPT_DAYS)
  return {
    largestLatenessUs: await largestLateness(catalog, catalogKey, nowUs),
    longestTransactionUs: history.longestUs,
    wasOpen: (transaction, atUs) => wasOpen(history, transaction, atUs),
    sawNobodyAsOld: (committedUs, ageUs) =>
      sawNobodyAsOld(history, committedUs, ageUs, BigInt(Math.round(limits.samplerMs * 1000))),
  }
}

/** By commit timestamps where there are any, else by late rows; rows with an old date are in neither. */
async function largestLateness(
  catalog: Engine['catalog'],
  catalogKey: string,
  nowUs: bigint,
): Promise<bigint | undefined> {
  for (const way of ['commit', 'late_rows'] as const) {
    const { sketch } = allTogether(await loadStore(catalog, catalogKey, way, nowUs, JUDGED_DAYS))
    if (sketchCount(sketch) > 0) return BigInt(Math.ceil(sketch.most))
  }
  return undefined
}

export function wasOpen(
  history: SamplerHistory,
  transaction: string | undefined,
  atUs: bigint | undefined,
): 'seen' | 'not_seen' | 'unknown' {
  if (transaction === undefined || atUs === undefined) return 'unknown'
  const { transactions, withoutGap } = history.openTransactionsBetween(atUs, atUs)
  const isThere = transactions.some(
    (each) => each.transaction === transaction && BigInt(each.lastSeenUs) >= atUs,
  )
  if (isThere) return 'seen'
  return withoutGap ? 'not_seen' : 'unknown'
}

/**
 * Nobody who committed then can have been as old: he would have been open in the looks just before, with his start. What
 * is prepared does not show its start, so it may have been as old (assurance A19).
 */
export function sawNobodyAsOld(
  history: SamplerHistory,
  committedUs: bigint,
  ageUs: bigint,
  samplerUs: bigint,
): boolean {
  const recently = samplerUs * SEEN_FROM
  const { transactions, withoutGap } = history.openTransactionsBetween(committedUs - recently, committedUs)
  if (!withoutGap || ageUs < recently) return false
  return transactions.every(
    ({ startUs, prepared }) => !prepared && BigInt(startUs) > committedUs - ageUs + START_SLACK_US,
  )
}

/** A transaction of this many times the sampler's time is old enough for one look at least, be it late. */
const SEEN_FROM = 4n

const START_SLACK_US = 1_000_000n
