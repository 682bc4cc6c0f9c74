import type { StoredClaim } from '../../destinations/destination.ts'
import { checkIdentity } from '../../extract/check-source.ts'
import { readFacts } from '../../extract/facts.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { isTimeLike, positionToUs } from '../../kernel/moment.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { ServerIdentity } from '../../sources/source.ts'
import type { ClaimContext } from './table-context.ts'

/** What a claim has to say to the source of today (lie L11). `nowUs`: the source's clock as its positions count. */
export function claimContext(
  claim: StoredClaim | undefined,
  settings: StreamSettings,
  identity: ServerIdentity,
  order: PositionOrder,
  nowUs: bigint | undefined,
): ClaimContext | undefined {
  if (!claim) return undefined
  const facts = readFacts(claim.facts)
  const watermarkUs =
    claim.watermark && isTimeLike(order) && facts.order.kind === order.kind
      ? positionToUs(order, claim.watermark)
      : undefined
  return {
    lagUs: watermarkUs === undefined || nowUs === undefined ? undefined : nowUs - watermarkUs,
    wentBack: wentBack(settings, facts, identity),
    t0Us: facts.t0 === '' ? undefined : BigInt(facts.t0),
  }
}

function wentBack(
  settings: StreamSettings,
  facts: ReturnType<typeof readFacts>,
  identity: ServerIdentity,
): ClaimContext['wentBack'] {
  if (facts.acceptPresent) return undefined
  try {
    const { timelineChanged } = checkIdentity(settings.stream, facts, identity)
    if (!timelineChanged || settings.onTimelineChange !== 'stop') return undefined
    const timelines = [facts.source.timeline, identity.timeline].map((each) => `timeline ${each}`)
    return { before: timelines[0]!, now: timelines[1]!, why: 'promoted' }
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    const { expected, read_up_to, found } = error.context
    return {
      before: String(expected ?? `log position ${read_up_to}`),
      now: String(error.code === 'SOURCE_CHANGED' ? found : `log position ${found || identity.timeline}`),
      why: error.code === 'SOURCE_CHANGED' ? 'another server' : 'restored',
    }
  }
}
