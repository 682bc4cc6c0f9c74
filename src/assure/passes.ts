import type { StoredRecord } from '../catalog/catalog.ts'
import { type RecordView, readRecord } from '../extract/record-view.ts'
import type { Position } from '../kernel/position.ts'
import { positionFromJson } from '../kernel/position.ts'
import { type Range, rangeContains, rangeFromJson } from '../kernel/range.ts'

/** A run that read a range, as its record tells (spec E72). */
export interface Pass {
  readonly runId: string
  readonly kind: string
  readonly generation: number
  readonly range: Range
  /** The source's clock at its fence, µs; undefined where the record has none. */
  readonly fenceUs: bigint | undefined
  /** The source's clock at its snapshot, never before its fence; the fence's where it was not kept. */
  readonly snapshotUs: bigint | undefined
  readonly openedUs: bigint
  readonly overlap: bigint
  readonly watermarkAfter: Position | undefined
  readonly fenceMethod: string | undefined
  readonly fenceLog: string | undefined
  readonly snapshotLog: string | undefined
}

interface SnapshotView {
  readonly snapshot_us?: string | null
  readonly snapshot_log?: string | null
}

/** Runs that read and landed something of their range, newest first. */
export function passesOf(records: readonly StoredRecord[]): readonly Pass[] {
  const passes: Pass[] = []
  for (const { json } of records) {
    const record = readRecord({ json }) as RecordView & SnapshotView
    if (!record.range || (record.kind !== 'run' && record.kind !== 'first_load')) continue
    if ((record.slices?.length ?? 0) === 0) continue
    const fenceUs = bigintOf(record.fence?.t0)
    passes.push({
      runId: record.run_id ?? '',
      kind: record.kind,
      generation: record.generation ?? 0,
      range: rangeFromJson(record.range),
      fenceUs,
      snapshotUs: bigintOf(record.snapshot_us) ?? fenceUs,
      openedUs: BigInt(record.opened_us ?? '0'),
      overlap: BigInt(record.overlap?.amount ?? '0'),
      watermarkAfter: record.watermark_after ? positionFromJson(record.watermark_after) : undefined,
      fenceMethod: record.fence?.method,
      fenceLog: record.fence?.logPosition?.text,
      snapshotLog: record.snapshot_log ?? undefined,
    })
  }
  return passes.sort((a, b) => (a.openedUs < b.openedUs ? 1 : -1))
}

/** The last run whose range held the position: after it nobody came back for the row (spec A18). */
export function lastPassOver(passes: readonly Pass[], position: Position): Pass | undefined {
  return passes.find(({ range }) => rangeContains(range, position))
}

/** A source without a clock of its own, such as a file, has none to tell. */
const bigintOf = (text: string | null | undefined): bigint | undefined =>
  text === undefined || text === null || text === '' ? undefined : BigInt(text)
