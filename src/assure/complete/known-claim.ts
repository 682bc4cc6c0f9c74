import type { Catalog, StoredRecord } from '../../catalog/catalog.ts'
import type { StoredClaim, WatermarkRow } from '../../destinations/destination.ts'
import { type Debt, orderFromJson, readFacts } from '../../extract/facts.ts'
import { loadMemory, memoryCoverage } from '../../extract/progress-state.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { completenessIn, completeThrough } from '../../kernel/completeness.ts'
import type { Coverage } from '../../kernel/coverage.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { comparePositions, type Position, positionFromJson } from '../../kernel/position.ts'
import type { ProofLevel } from '../../kernel/proof.ts'

/** What is beside the data, as far as it could be read: undefined where the destination was not asked. */
export interface DestinationSide {
  readonly claims: readonly StoredClaim[]
  readonly watermarks: readonly WatermarkRow[]
}

/** A stream's claim from wherever it is known, with what else is known of it. */
export interface KnownClaim {
  readonly from: 'destination' | 'catalog'
  readonly watermark: Position | undefined
  readonly order: PositionOrder | undefined
  readonly completeThroughUs: bigint | undefined
  readonly proof: ProofLevel
  /** What is landed, decreed or left open; undefined when the catalog knows nothing. */
  readonly coverage: Coverage | undefined
  readonly debts: readonly Debt[]
  /** Its row in `plimsoll_watermarks`. */
  readonly row: WatermarkRow | undefined
}

const RECORDS = 50

/** The claim beside the data stands; where it was not read, what the catalog remembers of it (spec E61). */
export async function knownClaim(
  catalog: Catalog,
  settings: Pick<StreamSettings, 'stream' | 'catalogKey'>,
  there: DestinationSide | undefined,
): Promise<KnownClaim | undefined> {
  const memory = await loadMemory({ catalog }, settings.catalogKey)
  const coverage = memory && memoryCoverage(memory)
  if (there) {
    const claim = there.claims.find(({ stream }) => stream === settings.stream)
    const row = there.watermarks.find(({ stream }) => stream === settings.stream)
    return claim && fromDestination(claim, row, coverage)
  }
  if (!memory) return undefined
  const watermark = memory.watermark ? positionFromJson(memory.watermark) : undefined
  const views = (await catalog.records(settings.catalogKey, RECORDS)).map(read)
  const last = views.find(({ order, generation }) => order && generation === memory.generation)
  const order = last?.order && orderFromJson(last.order)
  return {
    from: 'catalog',
    watermark,
    order,
    completeThroughUs: order && (completeThrough(order, watermark, []) ?? instantSaid(views, watermark)),
    proof: (last?.proof as ProofLevel | undefined) ?? 'assumed',
    coverage,
    debts: memory.debts,
    row: undefined,
  }
}

function fromDestination(
  claim: StoredClaim,
  row: WatermarkRow | undefined,
  coverage: Coverage | undefined,
): KnownClaim {
  const facts = claim.facts === '' ? undefined : readFacts(claim.facts)
  const order = facts && orderFromJson(facts.order)
  const said = completenessIn(claim.facts)
  const us = order && completeThrough(order, claim.watermark, said?.marks ?? [])
  return {
    from: 'destination',
    watermark: claim.watermark,
    order,
    completeThroughUs: us ?? (said?.completeThroughUs ? BigInt(said.completeThroughUs) : undefined),
    proof: claim.proof,
    coverage,
    debts: facts?.debts ?? [],
    row,
  }
}

/** For counters: what the newest record says that ended at or below this watermark. */
function instantSaid(views: readonly RecordView[], watermark: Position | undefined): bigint | undefined {
  if (!watermark) return undefined
  for (const { watermark_after: after, complete_through: us } of views) {
    if (!after || us === undefined || us === null || after.kind !== watermark.kind) continue
    if (comparePositions(positionFromJson(after), watermark) <= 0) return BigInt(us)
  }
  return undefined
}

const read = (record: StoredRecord): RecordView => readRecord(record)
