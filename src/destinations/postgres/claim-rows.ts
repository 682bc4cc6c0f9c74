import { assert } from '../../kernel/assert.ts'
import { type Position, positionFromJson } from '../../kernel/position.ts'
import type { ProofLevel } from '../../kernel/proof.ts'
import { type ClaimRow, checkTakeover, claimGone } from '../claim-checks.ts'
import type { Receipt, StoredClaim } from '../destination.ts'
import type { Session } from './sessions.ts'
import { CLAIM_TABLE } from './store.ts'
import { forgetOldNames, writeWatermark } from './watermark-table.ts'

const COLUMNS =
  'stream, epoch, generation, position_kind, watermark, proof, read_seq, batch, tail_keys, facts, gap_seq'

export async function readClaim(session: Session, stream: string): Promise<StoredClaim | undefined> {
  const { rows } = await session.query(`SELECT ${COLUMNS} FROM ${CLAIM_TABLE} WHERE stream = $1`, [stream])
  return rows[0] && rowToClaim(rows[0]).claim
}

export async function readClaims(session: Session): Promise<StoredClaim[]> {
  const { rows } = await session.query(`SELECT ${COLUMNS} FROM ${CLAIM_TABLE} ORDER BY stream`)
  return rows.map((row) => rowToClaim(row).claim)
}

/** Locks the claim row until the transaction ends, waiting for whoever holds it. */
export async function lockClaim(session: Session, stream: string): Promise<ClaimRow | undefined> {
  const { rows } = await session.query(`SELECT ${COLUMNS} FROM ${CLAIM_TABLE} WHERE stream = $1 FOR UPDATE`, [
    stream,
  ])
  return rows[0] && rowToClaim(rows[0])
}

/** The receipt kept beside the claim, when it is that batch's. Waits for the transaction that may write it (E59). */
export async function lockReceipt(
  session: Session,
  stream: string,
  batchId: string,
): Promise<Receipt | undefined> {
  const { rows } = await session.query(
    `SELECT batch, receipt FROM ${CLAIM_TABLE} WHERE stream = $1 FOR UPDATE`,
    [stream],
  )
  const found = rows[0]?.batch === batchId ? rows[0].receipt : null
  return found === null ? undefined : JSON.parse(found)
}

export interface Moved {
  readonly claim: StoredClaim
  readonly tailKeys: readonly string[]
  readonly receipt: Receipt
  readonly gapSeq: number
}

/** Moves the locked claim row (spec E56). */
export async function moveClaim(
  session: Session,
  { claim, tailKeys, receipt, gapSeq }: Moved,
): Promise<void> {
  const { rowCount } = await session.query(
    `UPDATE ${CLAIM_TABLE} SET epoch = $2, generation = $3, position_kind = $4, watermark = $5, proof = $6,
       read_seq = greatest(read_seq, $7), batch = $8, tail_keys = $9, facts = $10, receipt = $11, gap_seq = $12,
       written_at = now()
     WHERE stream = $1`,
    [...claimValues({ ...claim, tailKeys }), JSON.stringify(receipt), gapSeq],
  )
  assert(rowCount === 1, `the claim of ${claim.stream} vanished under its lock`)
  await writeWatermark(session, claim)
}

/** After rows were taken away: the locked claim row names the batch and its readSeq, and no receipt (spec A27). */
export async function confirmClaim(
  session: Session,
  { stream, readSeq, batch, tailKeys }: StoredClaim,
): Promise<void> {
  const { rowCount } = await session.query(
    `UPDATE ${CLAIM_TABLE} SET read_seq = greatest(read_seq, $2), batch = $3, tail_keys = $4, receipt = NULL, written_at = now() WHERE stream = $1`,
    [stream, readSeq, batch ?? null, JSON.stringify(tailKeys)],
  )
  assert(rowCount === 1, `the claim of ${stream} vanished under its lock`)
}

/** First claim, raised epoch, new generation (spec E61, E63, E70). Never lowers a watermark within a generation. */
export async function writeClaim(
  session: Session,
  claim: StoredClaim,
  expected: StoredClaim | undefined,
): Promise<void> {
  if (!expected && (await insertClaim(session, claim))) return showClaim(session, claim)
  const present = (await lockClaim(session, claim.stream))?.claim
  if (!present) throw claimGone(claim.stream)
  checkTakeover(present, claim, expected)
  await session.query(
    `UPDATE ${CLAIM_TABLE} SET epoch = $2, generation = $3, position_kind = $4, watermark = $5, proof = $6,
       read_seq = $7, batch = $8, tail_keys = $9, facts = $10, written_at = now()
     WHERE stream = $1`,
    claimValues(claim),
  )
  await showClaim(session, claim)
}

async function showClaim(session: Session, claim: StoredClaim): Promise<void> {
  await forgetOldNames(session, claim)
  await writeWatermark(session, claim)
}

async function insertClaim(session: Session, claim: StoredClaim): Promise<boolean> {
  const { rowCount } = await session.query(
    `INSERT INTO ${CLAIM_TABLE}
       (stream, epoch, generation, position_kind, watermark, proof, read_seq, batch, tail_keys, facts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (stream) DO NOTHING`,
    claimValues(claim),
  )
  return rowCount === 1
}

function claimValues(claim: StoredClaim): unknown[] {
  const { stream, epoch, generation, watermark, proof, readSeq, batch, tailKeys, facts } = claim
  const value = watermark && String(watermark.value)
  const position = [watermark?.kind ?? null, value ?? null]
  return [
    stream,
    epoch,
    generation,
    ...position,
    proof,
    readSeq,
    batch ?? null,
    JSON.stringify(tailKeys),
    facts,
  ]
}

function rowToClaim(row: Record<string, string | null>): ClaimRow {
  const kind = row.position_kind as Position['kind'] | null
  const claim: StoredClaim = {
    stream: row.stream!,
    generation: Number(row.generation),
    watermark: kind === null ? undefined : positionFromJson({ kind, value: row.watermark! }),
    proof: row.proof as ProofLevel,
    epoch: Number(row.epoch),
    readSeq: Number(row.read_seq),
    batch: row.batch ?? undefined,
    tailKeys: JSON.parse(row.tail_keys!),
    facts: row.facts!,
  }
  return { claim, gapSeq: Number(row.gap_seq) }
}
