import { assert } from '../../kernel/assert.ts'
import { type PositionKind, positionFromJson } from '../../kernel/position.ts'
import type { ProofLevel } from '../../kernel/proof.ts'
import { type ClaimRow, checkTakeover, claimGone } from '../claim-checks.ts'
import type { Receipt, StoredClaim } from '../destination.ts'
import type { Row, Session } from './session.ts'
import { CLAIM_TABLE } from './store.ts'
import { forgetOldNames, writeWatermark } from './watermark-table.ts'

const COLUMNS =
  'stream, generation, watermark_kind, watermark, proof, epoch, read_seq, batch, tail_keys, facts, gap_seq'

export async function readClaims(session: Session): Promise<StoredClaim[]> {
  return (await session.rows(`SELECT ${COLUMNS} FROM ${CLAIM_TABLE} ORDER BY stream`)).map(
    (row) => fromRow(row).claim,
  )
}

export async function readClaim(session: Session, stream: string): Promise<StoredClaim | undefined> {
  const [row] = await session.rows(`SELECT ${COLUMNS} FROM ${CLAIM_TABLE} WHERE stream = $1`, [stream])
  return row && fromRow(row).claim
}

/** The receipt kept beside the claim, when it is that batch's (spec E59). */
export async function readReceipt(
  session: Session,
  stream: string,
  batchId: string,
): Promise<Receipt | undefined> {
  const [row] = await session.rows(`SELECT receipt FROM ${CLAIM_TABLE} WHERE stream = $1 AND batch = $2`, [
    stream,
    batchId,
  ])
  return row?.[0] ? JSON.parse(String(row[0])) : undefined
}

/** Updates the claim row before anything else: DuckDB's conflict check on it stands for FOR UPDATE (spec E56). */
export async function lockClaim(session: Session, stream: string): Promise<ClaimRow | undefined> {
  const [row] = await session.rows(
    `UPDATE ${CLAIM_TABLE} SET updated = now() WHERE stream = $1 RETURNING ${COLUMNS}`,
    [stream],
  )
  return row && fromRow(row)
}

/** Moves the locked claim row (spec E56). */
export async function moveClaim(
  session: Session,
  after: StoredClaim,
  gapSeq: number,
  receipt: Receipt,
): Promise<void> {
  const updated = await session.run(
    `UPDATE ${CLAIM_TABLE} SET generation = $2, watermark_kind = $3, watermark = $4, proof = $5, epoch = $6,
       read_seq = greatest(read_seq, $7), batch = $8, tail_keys = $9, facts = $10, gap_seq = $11, receipt = $12, updated = now()
     WHERE stream = $1`,
    [...claimValues(after), BigInt(gapSeq), JSON.stringify(receipt)],
  )
  assert(updated === 1, `the claim of ${after.stream} vanished within its transaction`)
  await writeWatermark(session, after)
}

/** After rows were taken away: the locked claim row names the batch and its readSeq, and no receipt (spec A27). */
export async function confirmClaim(
  session: Session,
  { stream, readSeq, batch, tailKeys }: StoredClaim,
): Promise<void> {
  const updated = await session.run(
    `UPDATE ${CLAIM_TABLE} SET read_seq = greatest(read_seq, $2), batch = $3, tail_keys = $4, receipt = NULL, updated = now() WHERE stream = $1`,
    [stream, BigInt(readSeq), batch ?? null, JSON.stringify(tailKeys)],
  )
  assert(updated === 1, `the claim of ${stream} vanished within its transaction`)
}

/** First claim, raised epoch, new generation (spec E61, E63, E70). Never lowers a watermark within a generation. */
export async function writeClaim(
  session: Session,
  claim: StoredClaim,
  expected: StoredClaim | undefined,
): Promise<void> {
  const present = (await lockClaim(session, claim.stream))?.claim
  if (!present && expected) throw claimGone(claim.stream)
  if (present) checkTakeover(present, claim, expected)
  const assignments = present
    ? `UPDATE ${CLAIM_TABLE} SET generation = $2, watermark_kind = $3, watermark = $4, proof = $5, epoch = $6,
         read_seq = $7, batch = $8, tail_keys = $9, facts = $10, updated = now() WHERE stream = $1`
    : `INSERT INTO ${CLAIM_TABLE} (${COLUMNS}, updated) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, -1, now())`
  await session.run(assignments, claimValues(claim))
  await forgetOldNames(session, claim)
  await writeWatermark(session, claim)
}

function claimValues(claim: StoredClaim) {
  const { stream, generation, watermark, proof, epoch, readSeq, batch, tailKeys, facts } = claim
  return [
    stream,
    BigInt(generation),
    watermark?.kind ?? null,
    watermark === undefined ? null : String(watermark.value),
    proof,
    BigInt(epoch),
    BigInt(readSeq),
    batch ?? null,
    JSON.stringify(tailKeys),
    facts,
  ]
}

function fromRow([
  stream,
  generation,
  kind,
  value,
  proof,
  epoch,
  readSeq,
  batch,
  tailKeys,
  facts,
  gapSeq,
]: Row): ClaimRow {
  const position = { kind: kind as PositionKind, value: String(value) }
  const claim: StoredClaim = {
    stream: String(stream),
    generation: Number(generation),
    watermark: kind === null ? undefined : positionFromJson(position),
    proof: proof as ProofLevel,
    epoch: Number(epoch),
    readSeq: Number(readSeq),
    batch: batch === null ? undefined : String(batch),
    tailKeys: JSON.parse(String(tailKeys)),
    facts: String(facts),
  }
  return { claim, gapSeq: Number(gapSeq) }
}
