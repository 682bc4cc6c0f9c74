import type { Looked, TableAccess, TableDiagnosis } from '../../sources/diagnosis.ts'
import type { QueryPlan } from '../../sources/source.ts'
import type { Check } from './check.ts'
import { positionIndex } from './facts/position-index.ts'
import { queryPlan } from './facts/query-plan.ts'
import { readingRights } from './facts/reading-rights.ts'
import { retention } from './facts/retention.ts'
import { rowKey } from './facts/row-key.ts'
import { clocks } from './lies/clocks.ts'
import { coarse } from './lies/coarse.ts'
import { deletes } from './lies/deletes.ts'
import { future } from './lies/future.ts'
import { keyChanges } from './lies/key-changes.ts'
import { noPlace } from './lies/no-place.ts'
import { part } from './lies/part.ts'
import { past } from './lies/past.ts'
import { roundTrip } from './lies/round-trip.ts'
import { unmoved } from './lies/unmoved.ts'
import { visibleLate } from './lies/visible-late.ts'
import { wallTime } from './lies/wall-time.ts'
import { wentBack } from './lies/went-back.ts'
import type { ClaimContext, TableContext } from './table-context.ts'

/** What else than the table's own figures is judged. */
export interface Besides {
  readonly claim: Looked<ClaimContext | undefined>
  readonly plan: Looked<QueryPlan>
  readonly access: Looked<TableAccess>
  readonly role: string | undefined
  /** The source, as a person may see it. */
  readonly address: string
}

/** Every check of one table, in the order of the spec (A42, A43, A45). Pure. */
export function judgeTable(
  context: TableContext,
  diagnosis: TableDiagnosis,
  besides: Besides,
): readonly Check[] {
  return [
    visibleLate(context, diagnosis.lateness, diagnosis.window),
    unmoved(context, diagnosis.movers),
    coarse(context, diagnosis.ties),
    past(context, diagnosis.backdatedByCommit, diagnosis.backdatedByKey),
    future(context, diagnosis.future),
    clocks(context, diagnosis.ahead),
    wallTime(context, diagnosis.wallTime),
    noPlace(context, diagnosis.lanes),
    deletes(context, diagnosis.deletes),
    wentBack(context, besides.claim, besides.address),
    keyChanges(context, diagnosis.cascades),
    roundTrip(context, diagnosis.roundTrip),
    part(context.table, besides.access, besides.role),
    positionIndex(context, besides.plan),
    rowKey(context),
    queryPlan(context, besides.plan),
    readingRights(context.table, besides.access),
    retention(context, diagnosis.reach),
  ]
}
