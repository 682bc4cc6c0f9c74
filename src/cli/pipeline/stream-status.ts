import type { Alarm, Catalog, Lease } from '../../catalog/catalog.ts'
import type { StoredClaim } from '../../destinations/destination.ts'
import type { StreamSettings } from '../../extract/index.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import {
  comparePositions,
  type Position,
  type PositionJson,
  positionFromJson,
} from '../../kernel/position.ts'
import type { ProofLevel } from '../../kernel/proof.ts'

export type Verdict =
  | 'complete'
  | 'running'
  | 'held'
  | 'partial'
  | 'failed'
  | 'abandoned'
  | 'alarm'
  | 'never run'

/** Everything `status` says of one stream, found without the source. */
export interface StreamStatus {
  readonly stream: string
  readonly verdict: Verdict
  /** Why it is not `complete`, or why it is and the last run moved nothing. */
  readonly because: string | undefined
  readonly watermark: Position | undefined
  readonly proof: ProofLevel | undefined
  readonly generation: number | undefined
  /** Where the claim was read: beside the data, or what the catalog remembers of it. */
  readonly claimFrom: 'destination' | 'catalog' | undefined
  readonly last: RecordView | undefined
  /** The last run that took a fence: its overlap, its newest position. */
  readonly lastFenced: RecordView | undefined
  readonly lateRows: number
  readonly runsLooked: number
  readonly alarms: readonly Alarm[]
  readonly lease: Lease | undefined
}

const RUNS_LOOKED = 100
/** Records of what is no run. */
const NO_RUNS = new Set(['audit', 'reconcile', 'decree', 'bill', 'acceptance'])

export async function streamStatus(
  catalog: Catalog,
  settings: Pick<StreamSettings, 'stream' | 'catalogKey'>,
  claims: readonly StoredClaim[] | undefined,
): Promise<StreamStatus> {
  const { stream, catalogKey } = settings
  const kept = (await catalog.records(catalogKey, RUNS_LOOKED)).map(readRecord)
  const records = kept.filter(({ kind }) => !NO_RUNS.has(kind ?? ''))
  const leases = await catalog.leases()
  const nowUs = catalog.nowUs()
  const lease = leases.find((each) => each.stream === catalogKey && each.expiresUs > nowUs)
  const alarms = (await catalog.alarms(true)).filter((alarm) => alarm.stream === catalogKey)
  const claim = claims?.find((each) => each.stream === stream)
  const remembered = claim ? undefined : await rememberedClaim(catalog, catalogKey)
  const last = records[0]
  const judged = judge(last, lease, alarms, claim !== undefined || remembered !== undefined)
  return {
    stream,
    ...judged,
    watermark: claim ? claim.watermark : remembered?.watermark,
    proof: claim?.proof ?? remembered?.proof,
    generation: claim?.generation ?? remembered?.generation,
    claimFrom: claim ? 'destination' : remembered ? 'catalog' : undefined,
    last,
    lastFenced: records.find(
      (record) => record.fence !== undefined && !['backfill', 'repair', 'skip'].includes(record.kind ?? ''),
    ),
    lateRows: records.reduce((sum, record) => sum + (record.counts?.late ?? 0), 0),
    runsLooked: records.length,
    alarms,
    lease,
  }
}

function judge(
  last: RecordView | undefined,
  lease: Lease | undefined,
  alarms: readonly Alarm[],
  claimed: boolean,
): { verdict: Verdict; because: string | undefined } {
  if (lease) return { verdict: 'running', because: `process ${lease.pid} on ${lease.host}` }
  if (!last)
    return claimed
      ? { verdict: 'complete', because: undefined }
      : { verdict: 'never run', because: undefined }
  if (last.error) return { verdict: 'failed', because: `${last.error.code}: ${last.error.message}` }
  if (last.outcome === 'abandoned')
    return { verdict: 'abandoned', because: 'its last run died before it could close' }
  const idle = last.outcome === 'held' && isIdle(last)
  if (last.outcome === 'held' && !(idle && alarms.length > 0))
    return {
      verdict: idle ? 'complete' : 'held',
      because: last.held_because ?? last.fence?.heldBecause ?? 'the fence has not passed the watermark',
    }
  if (last.outcome === 'partial')
    return { verdict: 'partial', because: 'its last run stopped between slices' }
  const alarm = alarms[0]
  return alarm
    ? { verdict: 'alarm', because: `${alarm.name}: ${alarm.latest}` }
    : { verdict: 'complete', because: undefined }
}

/** Nobody held the fence: it stood where the last claim had put it, and nothing was to be read. */
function isIdle({ fence, watermark_after: watermark }: RecordView): boolean {
  if (!fence?.value || !watermark || fence.heldBecause) return false
  return comparePositions(positionFromJson(fence.value), positionFromJson(watermark)) === 0
}

/** What the engine keeps in the catalog of a stream's claim. */
async function rememberedClaim(
  catalog: Catalog,
  catalogKey: string,
): Promise<
  { watermark: Position | undefined; generation: number; proof: ProofLevel | undefined } | undefined
> {
  const text = await catalog.memory(catalogKey, 'stream')
  if (text === undefined) return undefined
  const memory = JSON.parse(text) as { watermark: PositionJson | null; generation: number }
  return {
    watermark: memory.watermark ? positionFromJson(memory.watermark) : undefined,
    generation: memory.generation,
    proof: undefined,
  }
}
