import type { Receipt } from '../destinations/destination.ts'
import type { Fence } from '../kernel/fence.ts'
import type { Lane } from '../kernel/lane.ts'
import type { Overlap } from '../kernel/overlap.ts'
import { type Position, type PositionJson, positionToJson } from '../kernel/position.ts'
import type { Range } from '../kernel/range.ts'
import { sumReceipts } from './receipts.ts'

export type RunKind = 'run' | 'first_load' | 'backfill' | 'rewind' | 'repair' | 'skip'

/** Gathers what a run did and makes the complete record of it (spec E72). Holds no secrets. */
export interface RunRecorder {
  note(part: Readonly<Record<string, unknown>>): void
  fence(fence: Fence): void
  /** What this attempt reads, and the watermark it was reckoned from. */
  range(range: Range, overlap: Overlap, watermark?: Position): void
  /** A range that was landed before, of which no record tells. */
  adopt(range: Range): void
  slice(range: Range, receipt: Receipt): void
  lane(lane: Lane, receipt: Receipt): void
  peek(receipt: Receipt): void
  bill(bill: { readonly key: string; readonly bill: number }): void
  alarm(name: string, text: string): void
  retry(reason: string): void
  time(phase: string, ms: number): void
  /** Rows that decrees had cost, of all bills paid so far (spec E39). */
  readonly billRows: number
  readonly sliceReceipts: readonly Receipt[]
  readonly alarms: readonly { readonly name: string; readonly text: string }[]
  finish(
    outcome: string,
    before: Position | undefined,
    after: Position | undefined,
  ): Readonly<Record<string, unknown>>
}

export function createRecorder(head: Readonly<Record<string, unknown>>): RunRecorder {
  const parts: Record<string, unknown> = { ...head }
  const slices: { range: Range; receipt: Receipt }[] = []
  const adopted: Range[] = []
  const lanes: Record<string, unknown> = {}
  const peeks: Receipt[] = []
  const bills: { readonly key: string; readonly bill: number }[] = []
  const alarms: { name: string; text: string }[] = []
  const retries: string[] = []
  const durations: Record<string, number> = {}
  return {
    note: (part) => void Object.assign(parts, part),
    fence: (fence) => void Object.assign(parts, { fence: fenceToJson(fence) }),
    range: (range, overlap, watermark) =>
      void Object.assign(parts, {
        ...boundsOf(range),
        reckoned_from: textOrNull(watermark),
        overlap: overlapToJson(overlap),
      }),
    adopt: (range) => void adopted.push(range),
    slice: (range, receipt) => void slices.push({ range, receipt }),
    lane: (lane, receipt) => void Object.assign(lanes, { [lane]: receiptToJson(receipt) }),
    peek: (receipt) => void peeks.push(receipt),
    bill: (bill) => void bills.push(bill),
    alarm: (name, text) => void alarms.push({ name, text }),
    retry: (reason) => void retries.push(reason),
    time: (phase, ms) => {
      durations[phase] = (durations[phase] ?? 0) + ms
    },
    get billRows() {
      return bills.reduce((sum, { bill }) => sum + bill, 0)
    },
    get sliceReceipts() {
      return slices.map((slice) => slice.receipt)
    },
    get alarms() {
      return alarms
    },
    finish: (outcome, before, after) => ({
      ...parts,
      outcome,
      position_kind: (after ?? before)?.kind ?? kindIn(parts.order),
      watermark_before: textOrNull(before),
      watermark_after: textOrNull(after),
      ...rowCounts(slices.map((slice) => slice.receipt)),
      slices: slices.map(({ range, receipt }) => ({
        ...boundsOf(range),
        receipt: receiptToJson(receipt),
      })),
      adopted: adopted.map(boundsOf),
      lanes,
      peek_rows: peeks.reduce((sum, receipt) => sum + receipt.rowsRead, 0),
      bills,
      counts: sumReceipts(slices.map((slice) => slice.receipt)),
      alarms,
      retries,
      durations_ms: Object.fromEntries(
        Object.entries(durations).map(([phase, ms]) => [phase, Math.round(ms)]),
      ),
    }),
  }
}

/** What the certificate counts: rows read, and rows that stand at the destination through them (spec A57). */
function rowCounts(receipts: readonly Receipt[]): Readonly<Record<string, number>> {
  const { rows_read, inserted, updated, unchanged } = sumReceipts(receipts)
  return { row_count: rows_read, landed_count: inserted + updated + unchanged }
}

/** A range's bounds as a record holds them: texts, the kind stands once, as `position_kind` (spec A57). */
export function boundsOf({ lower, upper }: Range): Readonly<{ lower: string | null; upper: string }> {
  return { lower: textOrNull(lower), upper: String(upper.value) }
}

const textOrNull = (position: Position | undefined): string | null =>
  position ? String(position.value) : null

const kindIn = (order: unknown): string | null =>
  (order as { readonly kind?: string } | undefined)?.kind ?? null

const positionOrNull = (position: Position | undefined): PositionJson | null =>
  position ? positionToJson(position) : null

/** An overlap with what it was learned from (assurance A38). */
export function overlapToJson({ amount, origin, learned }: Overlap): Readonly<Record<string, unknown>> {
  if (!learned) return { amount: String(amount), origin }
  const { ruler, quantile, quantileValue, lossMargin, sampleCount } = learned
  const figures = {
    ruler,
    quantile: String(quantile),
    quantile_value: String(quantileValue),
    loss_margin: String(lossMargin),
    sample_count: String(sampleCount),
  }
  return { amount: String(amount), origin, learned: figures }
}

/** A fence as it stands in the record: the whole of it, with witnesses. */
export function fenceToJson(fence: Fence): Readonly<Record<string, unknown>> {
  return {
    ...fence,
    value: positionOrNull(fence.value),
    logPosition: fence.logPosition ?? null,
    heldBecause: fence.heldBecause ?? null,
  }
}

/** A receipt as it stands in the record; depths and lists as they came. */
export function receiptToJson(receipt: Receipt): Readonly<Record<string, unknown>> {
  const { stageMs, mergeMs, commitMs, lateRows, ...rest } = receipt
  return {
    ...rest,
    lateRows: lateRows.slice(0, 20),
    stageMs: Math.round(stageMs),
    mergeMs: Math.round(mergeMs),
    commitMs: Math.round(commitMs),
  }
}
