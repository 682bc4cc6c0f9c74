import type { ProofLevel } from '../../kernel/proof.ts'
import type { CompletenessNote, StoredClaim, WatermarkRow } from '../destination.ts'
import { forgetOtherPipelines, noteValues, putWatermark, watermarkValues } from '../watermark-row.ts'
import type { Session } from './sessions.ts'
import { WATERMARK_TABLE } from './store.ts'

/** The claim's row, in the transaction that writes the claim (spec A56). */
export async function writeWatermark(session: Session, claim: StoredClaim): Promise<void> {
  const values = watermarkValues(claim)
  if (!values) return
  const watermark = claim.watermark ? values.watermark : await noWatermark(session, values.watermark)
  await session.query(putWatermark(WATERMARK_TABLE), texts(Object.values({ ...values, watermark })))
}

/** A database of another encoding has no sign for infinity. */
async function noWatermark(session: Session, sign: string): Promise<string> {
  const { rows } = await session.query('SHOW server_encoding')
  return rows[0].server_encoding === 'UTF8' ? sign : '-infinity'
}

/** Where a claim is taken over: the row of the same stream under an earlier name of the pipeline goes. */
export async function forgetOldNames(session: Session, claim: StoredClaim): Promise<void> {
  const values = watermarkValues(claim)
  if (values) await session.query(forgetOtherPipelines(WATERMARK_TABLE), [values.stream, values.pipeline])
}

export async function noteWatermark(session: Session, stream: string, note: CompletenessNote): Promise<void> {
  const values = noteValues(note)
  if (values.length === 0) return
  const assignments = values.map(([column], i) => `${column} = $${i + 2}`)
  const all = [stream, ...values.map(([, value]) => value)]
  await session.query(`UPDATE ${WATERMARK_TABLE} SET ${assignments.join(', ')} WHERE stream = $1`, texts(all))
}

/** µs of an instant, exact on every server: 12 and 13 give the epoch as a double (spec E3). */
const us = (column: string): string =>
  `extract(epoch from date_trunc('second', ${column}))::bigint * 1000000 + extract(microseconds from ${column})::bigint % 1000000`

const COLUMNS = `pipeline, stream, generation, watermark, ${us('complete_through')} AS through, proof, ${us('fence_taken_at')} AS fence,
  overlap_us, lost_row_count, decree_count, held_by, record_hash`

export async function readWatermarks(session: Session): Promise<WatermarkRow[]> {
  const { rows } = await session.query(`SELECT ${COLUMNS} FROM ${WATERMARK_TABLE} ORDER BY stream, pipeline`)
  return rows.map(
    (row: Record<string, string | null>): WatermarkRow => ({
      pipeline: row.pipeline!,
      stream: row.stream!,
      generation: Number(row.generation),
      watermark: row.watermark!,
      completeThroughUs: row.through ?? null,
      proof: row.proof as ProofLevel,
      fenceTakenUs: row.fence ?? null,
      overlapUs: row.overlap_us ?? null,
      lostRowCount: Number(row.lost_row_count),
      decreeCount: Number(row.decree_count),
      heldBy: row.held_by ?? null,
      recordHash: row.record_hash ?? null,
    }),
  )
}

const texts = (values: readonly (bigint | string | null)[]): (string | null)[] =>
  values.map((value) => (value === null ? null : String(value)))
