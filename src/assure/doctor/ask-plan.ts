import type { StreamSettings } from '../../extract/settings.ts'
import { isTimeLike, usToPosition } from '../../kernel/moment.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import type { QueryPlan, Source } from '../../sources/source.ts'
import type { ChosenOrder } from './choose-order.ts'

const DAY_US = 86_400_000_000n

/** EXPLAINs a run of the last day (spec E51, A43). Which day it is changes nothing about the plan's shape. */
export async function askPlan(
  source: Source,
  settings: StreamSettings,
  chosen: ChosenOrder,
  nowUs: bigint,
): Promise<QueryPlan> {
  const { limits } = settings
  const request = {
    shape: chosen.shape,
    order: chosen.order,
    key: chosen.key,
    format: source.capabilities.formats[0]!,
    asText: settings.asText,
    after: undefined,
    futureFromUs: undefined,
    replicaWaitMs: limits.replicaWaitMs,
    queryMaxMs: limits.doctorQueryMaxMs,
    lockTimeoutMs: limits.lockTimeoutMs,
    pageRows: limits.pageRows,
    fullScanMaxRows: limits.fullScanMaxRows,
  }
  return source.explain(request, { lower: from(chosen.order, nowUs), upper: upTo(chosen.order, nowUs) })
}

const from = (order: PositionOrder, nowUs: bigint): Position =>
  isTimeLike(order) ? usToPosition(order, nowUs - DAY_US) : counter(order, 0n)

const upTo = (order: PositionOrder, nowUs: bigint): Position =>
  isTimeLike(order) ? usToPosition(order, nowUs) : counter(order, 2n ** 62n)

const counter = ({ kind }: PositionOrder, value: bigint): Position =>
  kind === 'xid8' ? { kind, value } : { kind: 'integer', value }
