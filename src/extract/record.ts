import type { Receipt } from '../destinations/destination.ts'
import type { Fence } from '../kernel/fence.ts'
import type { Lane } from '../kernel/lane.ts'
import type { Overlap } from '../kernel/overlap.ts'
import { type Position, type PositionJson, positionToJson } from '../kernel/position.ts'
import { type Range, rangeToJson } from '../kernel/range.ts'
import { sumReceipts } from './receipts.ts'

export type RunKind = 'run' | 'first_load' | 'backfill' | 'rewind' | 'skip'

/** Gathers what a run did and makes the complete record of it (spec E72). Holds no secrets. */
export interface RunRecorder {
  note(part: Readonly<Record<string, unknown>>): void
  fence(fence: Fence): void
  range(range: Range, overlap: Overlap): void
  slice(range: Range, receipt: Receipt): void
  lane(lane: Lane, receipt: Receipt): void
  peek(receipt: Receipt): void
  bill(key: string, range: Range, receipt: Receipt): void
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
  const lanes: Record<string, unknown> = {}
  const peeks: Receipt[] = []
  const bills: { readonly key: string; readonly bill: number }[] = []
  const alarms: { name: string; text: string }[] = []
  const retries: string[] = []
  const durations: Record<string, number> = {}
  return {
    note: (part) => void Object.assign(parts, part),
    fence: (fence) => void Object.assign(parts, { fence: fenceToJson(fence) }),
    range: (range, overlap) =>
      void Object.assign(parts, {
        range: rangeToJson(range),
        overlap: { amount: String(overlap.amount), origin: overlap.origin },
      }),
    slice: (range, receipt) => void slices.push({ range, receipt }),
    lane: (lane, receipt) => void Object.assign(lanes, { [lane]: receiptToJson(receipt) }),
    peek: (receipt) => void peeks.push(receipt),
    bill: (key, range, receipt) =>
      void bills.push({
        key,
        bill: receipt.classes.late,
        ...{ range: rangeToJson(range), receipt: receiptToJson(receipt) },
      }),
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
      watermark_before: positionOrNull(before),
      watermark_after: positionOrNull(after),
      slices: slices.map(({ range, receipt }) => ({
        range: rangeToJson(range),
        receipt: receiptToJson(receipt),
      })),
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

const positionOrNull = (position: Position | undefined): PositionJson | null =>
  position ? positionToJson(position) : null

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
