import type { DuckDBValue } from '@duckdb/node-api'
import type { ProofLevel } from '../../kernel/proof.ts'
import type { CompletenessNote, StoredClaim, WatermarkRow } from '../destination.ts'
import { forgetOtherPipelines, noteValues, putWatermark, watermarkValues } from '../watermark-row.ts'
import type { Session } from './session.ts'
import { WATERMARK_TABLE } from './store.ts'

/** The claim's row, in the transaction that writes the claim (spec A56). */
export async function writeWatermark(session: Session, claim: StoredClaim): Promise<void> {
  const values = watermarkValues(claim)
  if (values) await session.run(putWatermark(WATERMARK_TABLE), Object.values(values))
}

/** Where a claim is taken over: the row of the same stream under an earlier name of the pipeline goes. */
export async function forgetOldNames(session: Session, claim: StoredClaim): Promise<void> {
  const values = watermarkValues(claim)
  if (values) await session.run(forgetOtherPipelines(WATERMARK_TABLE), [values.stream, values.pipeline])
}

export async function noteWatermark(session: Session, stream: string, note: CompletenessNote): Promise<void> {
  const values = noteValues(note)
  if (values.length === 0) return
  const assignments = values.map(([column], i) => `${column} = $${i + 2}`)
  await session.run(`UPDATE ${WATERMARK_TABLE} SET ${assignments.join(', ')} WHERE stream = $1`, [
    stream,
    ...values.map(([, value]) => value),
  ])
}

const COLUMNS = `pipeline, stream, generation, watermark, epoch_us(complete_through), proof, epoch_us(fence_taken_at), overlap_us,
  lost_row_count, decree_count, held_by, record_hash`

export async function readWatermarks(session: Session): Promise<WatermarkRow[]> {
  const rows = await session.rows(`SELECT ${COLUMNS} FROM ${WATERMARK_TABLE} ORDER BY stream, pipeline`)
  return rows.map((row): WatermarkRow => {
    const [
      pipeline,
      stream,
      generation,
      watermark,
      through,
      proof,
      fence,
      overlap,
      lost,
      decrees,
      held,
      hash,
    ] = row
    return {
      pipeline: String(pipeline),
      stream: String(stream),
      generation: Number(generation),
      watermark: String(watermark),
      completeThroughUs: textOrNull(through!),
      proof: String(proof) as ProofLevel,
      fenceTakenUs: textOrNull(fence!),
      overlapUs: textOrNull(overlap!),
      lostRowCount: Number(lost),
      decreeCount: Number(decrees),
      heldBy: textOrNull(held!),
      recordHash: textOrNull(hash!),
    }
  })
}

const textOrNull = (value: DuckDBValue): string | null => (value === null ? null : String(value))
