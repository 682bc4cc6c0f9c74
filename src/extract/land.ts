import type { Landing, Receipt, StoredClaim } from '../destinations/destination.ts'
import { addToCoverage, coverageProof, coverageToJson } from '../kernel/coverage.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'
import { comparePositions, maxPosition, type Position, positionToJson } from '../kernel/position.ts'
import type { ProofLevel } from '../kernel/proof.ts'
import type { Range } from '../kernel/range.ts'
import type { RowStream } from '../sources/source.ts'
import { factsOfClaim } from './completeness.ts'
import { writeFacts } from './facts.ts'
import { withHoles } from './holes.ts'
import { saveMemory } from './progress-state.ts'
import type { StreamSession } from './stream-session.ts'
import { watchBytes } from './watch-bytes.ts'

/** What one landing is about. `range` is absent for lanes; `proof` is the fence's level for the range. */
export interface LandRequest {
  readonly rows: RowStream
  readonly purpose: Landing['purpose']
  readonly range: Range | undefined
  readonly sliceNumber: number
  readonly readSeq: number
  readonly proof: ProofLevel
  /** From here up the range rests on a decree; undefined when none is in force. */
  readonly decreedFrom: Position | undefined
  /** The level below it. */
  readonly proofBelow: ProofLevel | undefined
  readonly reason: string
  readonly known: Landing['known']
}

/**
 * Lands rows together with the claim that becomes true with them, then tells the ledger and the catalog (spec E11,
 * E56, E58). Only `run` moves the watermark, and only to the upper bound of the range: never to a value that was read.
 */
export async function land(session: StreamSession, request: LandRequest): Promise<Receipt> {
  try {
    return await landHeld(session, request)
  } catch (error) {
    const isLost = error instanceof PlimsollError && error.code === 'LEASE_FENCED_OUT'
    if (isLost) await session.engine.reach('lease.lost_while_landing')
    throw error
  }
}

async function landHeld(session: StreamSession, request: LandRequest): Promise<Receipt> {
  session.lease.assertHeld()
  const { engine } = session
  const batchId = batchOf(session, request)
  const entries = request.range ? ledgerEntries(session, request, request.range, batchId) : []
  const coverage = entries.reduce(addToCoverage, session.coverage)
  const watermark = watermarkAfter(session.claim.watermark, request)
  const facts = factsOfClaim(session.facts, session.choice.order, watermark, session.memory.debts)
  const claimAfter: StoredClaim = {
    ...session.claim,
    watermark,
    proof: session.memory.contradicted ? 'assumed' : coverageProof(coverage),
    readSeq: Math.max(session.claim.readSeq, request.readSeq),
    batch: batchId,
    facts: writeFacts(withHoles(facts, coverage)),
  }
  if (engine.mistake === 'claim_before_rows') {
    await engine.destination.writeClaim(claimAfter, session.claim)
    session.claim = claimAfter
  }
  const receipt = await landOrFind(session, {
    table: session.table,
    rows: request.rows,
    purpose: request.purpose,
    range: request.range,
    batchId,
    readSeq: request.readSeq,
    epoch: session.lease.lease.epoch,
    claimBefore: session.claim,
    claimAfter,
    known: request.known,
    classBelow: request.purpose === 'lane' ? undefined : session.classBelow,
  })
  session.claim = claimAfter
  session.facts = facts
  session.coverage = coverage
  session.memory = {
    ...session.memory,
    generation: claimAfter.generation,
    watermark: claimAfter.watermark ? positionToJson(claimAfter.watermark) : null,
    readSeq: claimAfter.readSeq,
    coverage: coverageToJson(coverage),
  }
  for (const entry of entries) await engine.catalog.addRange(entry)
  await saveMemory(engine, session.lease, session.memory)
  return receipt
}

function watermarkAfter(before: Position | undefined, request: LandRequest): Position | undefined {
  if (request.purpose !== 'run' || !request.range) return before
  return before ? maxPosition(before, request.range.upper) : request.range.upper
}

/** One entry, or two when a decree's bound lies inside: only what is above it is decreed (spec E38). */
function ledgerEntries(
  session: StreamSession,
  request: LandRequest,
  range: Range,
  batchId: string,
): readonly LedgerEntry[] {
  if (request.purpose === 'lane' || request.purpose === 'peek') return []
  const runKind = session.claimAtStart.watermark ? 'run' : 'first_load'
  const entry: LedgerEntry = {
    stream: session.settings.catalogKey,
    generation: session.claim.generation,
    runId: session.runId,
    kind: request.purpose === 'run' ? runKind : request.purpose,
    state: 'landed',
    range,
    proof: (request.decreedFrom && request.proofBelow) ?? request.proof,
    batchId,
    readSeq: request.readSeq,
    reason: '',
  }
  const { decreedFrom } = request
  if (!decreedFrom || comparePositions(decreedFrom, range.upper) >= 0) return [entry]
  const decreed = { state: 'decreed', proof: 'assumed', reason: request.reason } as const
  if (range.lower && comparePositions(decreedFrom, range.lower) <= 0) return [{ ...entry, ...decreed }]
  return [
    { ...entry, range: { lower: range.lower, upper: decreedFrom } },
    { ...entry, ...decreed, range: { lower: decreedFrom, upper: range.upper } },
  ]
}

/** Batch id (spec E57): the same slice of the same read is the same batch. */
function batchOf(session: StreamSession, request: LandRequest): string {
  const { stream } = session.settings
  const bound = (position: Position | undefined): string => (position ? String(position.value) : '-')
  const range = request.range ? `${bound(request.range.lower)}|${bound(request.range.upper)}` : '-|-'
  return session.engine.digest(
    [
      stream,
      session.claim.generation,
      session.lease.lease.epoch,
      request.purpose,
      range,
      request.sliceNumber,
      request.readSeq,
    ].join('|'),
  )
}

/** Lands; when the reply to the commit is lost, looks for the batch beside the data before anything is repeated (spec E59). */
async function landOrFind(session: StreamSession, landing: Landing): Promise<Receipt> {
  const { destination } = session.engine
  const isWatched = landing.purpose === 'run' || landing.purpose === 'backfill'
  const stopWatching = isWatched ? watchBytes(session, landing.rows) : () => undefined
  try {
    return await destination.land(landing).finally(stopWatching)
  } catch (error) {
    await landing.rows.cancel().catch(() => undefined)
    const replyMayBeLost =
      error instanceof PlimsollError && error.kind === 'destination' && error.retry === 'automatic'
    if (!replyMayBeLost) throw error
    const receipt = await destination.receiptOf(landing.table.stream, landing.batchId)
    session.recorder.note({
      commit_reply_lost: receipt ? 'batch found, landed once' : 'batch absent, not landed',
    })
    if (!receipt) throw error
    return receipt
  }
}
