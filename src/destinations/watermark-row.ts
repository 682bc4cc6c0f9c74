import { formatTimestampUs } from '../kernel/calendar.ts'
import { completenessIn } from '../kernel/completeness.ts'
import { formatPosition } from '../kernel/print.ts'
import type { CompletenessNote, StoredClaim } from './destination.ts'

/** The table for people who have SQL only, as the specification writes it (spec A56). */
export const watermarkTableSql = (table: string): string =>
  `CREATE TABLE IF NOT EXISTS ${table} (pipeline text NOT NULL, stream text NOT NULL, generation bigint NOT NULL, watermark text NOT NULL, complete_through timestamptz, proof text NOT NULL, fence_taken_at timestamptz,
    claimed_at timestamptz NOT NULL, overlap_us bigint, lost_row_count bigint NOT NULL DEFAULT 0, decree_count bigint NOT NULL DEFAULT 0, held_by text, record_hash text, PRIMARY KEY (pipeline, stream))`

/** Another name of the pipeline is another row: that of the old one would stand for ever. `$1` stream, `$2` pipeline. */
export const forgetOtherPipelines = (table: string): string =>
  `DELETE FROM ${table} WHERE stream = $1 AND pipeline <> $2`

/** Writes a claim's row; what audits and repairs wrote stays, and nobody holds a watermark that moved. */
export const putWatermark = (table: string): string =>
  `INSERT INTO ${table} (pipeline, stream, generation, watermark, complete_through, proof, fence_taken_at, overlap_us, decree_count, claimed_at)
    VALUES ($1, $2, $3, $4, CAST($5 AS timestamptz), $6, CAST($7 AS timestamptz), $8, $9, now())
   ON CONFLICT (pipeline, stream) DO UPDATE SET generation = excluded.generation, watermark = excluded.watermark,
     complete_through = excluded.complete_through, proof = excluded.proof, fence_taken_at = excluded.fence_taken_at,
     overlap_us = excluded.overlap_us, decree_count = excluded.decree_count, claimed_at = excluded.claimed_at,
     held_by = CASE WHEN plimsoll_watermarks.watermark = excluded.watermark THEN plimsoll_watermarks.held_by END`

/** The values of `putWatermark`, from $1 on; undefined for a claim that does not say what it belongs to. */
export function watermarkValues(claim: StoredClaim): WatermarkValues | undefined {
  const said = completenessIn(claim.facts)
  if (!said) return undefined
  return {
    pipeline: said.pipeline,
    stream: claim.stream,
    generation: BigInt(claim.generation),
    watermark: formatPosition(claim.watermark),
    completeThrough: instant(said.completeThroughUs),
    proof: claim.proof,
    fenceTakenAt: instant(said.fenceTakenUs),
    overlapUs: said.overlapUs === null ? null : BigInt(said.overlapUs),
    decreeCount: BigInt(said.decreeCount),
  }
}

export interface WatermarkValues {
  readonly pipeline: string
  readonly stream: string
  readonly generation: bigint
  readonly watermark: string
  readonly completeThrough: string | null
  readonly proof: string
  readonly fenceTakenAt: string | null
  readonly overlapUs: bigint | null
  readonly decreeCount: bigint
}

/** Columns of a note with their values; empty when there is nothing to write. */
export function noteValues(note: CompletenessNote): readonly (readonly [string, bigint | string | null])[] {
  const { lostRowCount, decreeCount, heldBy, recordHash } = note
  return [
    ...(lostRowCount === undefined ? [] : [['lost_row_count', BigInt(lostRowCount)] as const]),
    ...(decreeCount === undefined ? [] : [['decree_count', BigInt(decreeCount)] as const]),
    ...(heldBy === undefined ? [] : [['held_by', heldBy] as const]),
    ...(recordHash === undefined ? [] : [['record_hash', recordHash] as const]),
  ]
}

/** Beyond these years a destination may have no such instant. */
const LAST_US = 253_402_300_800_000_000n
const FIRST_US = -62_135_596_800_000_000n

function instant(us: string | null): string | null {
  if (us === null || us === '') return null
  const value = BigInt(us)
  return value < FIRST_US || value >= LAST_US ? null : formatTimestampUs(value, '+00')
}
