import { loadMemory } from '../../extract/progress-state.ts'
import type { Finding } from '../../kernel/finding.ts'
import type { WordKind } from '../../kernel/fingerprint/comparison.ts'
import { canonicalOfPosition } from '../../kernel/fingerprint/position-text.ts'
import { decideOverlap } from '../../kernel/overlap.ts'
import type { Position } from '../../kernel/position.ts'
import { formatPosition } from '../../kernel/print.ts'
import { type BothLooks, type CheckSession, openLooks } from '../check-session.ts'
import { passesOf } from '../passes.ts'
import { residual } from '../residual.ts'
import { windowStart, zoneBounds } from './bounds.ts'
import { joinChangedKeys } from './changed-keys.ts'
import type { Bounds } from './classify.ts'
import { type Differences, findDifferences } from './find-differences.ts'
import { findRows, openDossier } from './gather-evidence.ts'
import type { LatenessKnowledge } from './lateness-knowledge.ts'
import { makeFindings } from './make-findings.ts'
import { lookAgain, type SecondLookPolicy, type Settled } from './second-look.ts'
import { nameTransit } from './transit.ts'

export interface AuditLimits extends SecondLookPolicy {
  readonly openKeysMax: number
  readonly drillMaxRows: number
  readonly listMaxRows: number
}

export interface AuditRequest {
  readonly check: CheckSession
  readonly checkId: string
  /** `audit` names itself so in records; both use one method (spec A9, A23). */
  readonly kind: 'audit' | 'reconcile'
  readonly word: WordKind
  /** Only the last so many µs (or positions) below the settled bound; undefined: all. */
  readonly window: bigint | undefined
  readonly limits: AuditLimits
  readonly knowledge: LatenessKnowledge
  readonly say?: ((text: string) => void) | undefined
}

/** What a check says of one stream. Counts are exact unless `atLeast`. */
export interface StreamAudit {
  readonly stream: string
  readonly checkId: string
  readonly generation: number
  readonly positionColumn: string
  readonly watermark: string
  readonly openedUs: string
  readonly word: WordKind
  /** Canonical position texts of the scope; null for no lower bound. */
  readonly from: string | null
  readonly settledBefore: string
  readonly scope: string
  readonly looked: { readonly source: string; readonly destination: string }
  readonly counts: Readonly<Record<string, number>>
  readonly sourceRows: number
  readonly atLeast: boolean
  readonly findings: readonly Finding[]
  readonly capped: boolean
  readonly residual: string
  readonly digits: number
  readonly differingBuckets: number
}

/** Looks twice at one stream and keeps what is confirmed (spec A7 to A15). Throws what a look throws. */
export async function auditStream(request: AuditRequest): Promise<StreamAudit> {
  const { check, limits } = request
  const { catalog } = check.engine
  const overlap = await overlapInForce(check)
  const firstLookUs = catalog.nowUs()
  const looks = await openLooks(check)
  const { claim } = looks
  const boundsOf = (look: { claim: Position; takenUs: string }): Bounds =>
    zoneBounds(
      check.choice.order,
      { ...claim, watermark: look.claim },
      overlap,
      look.takenUs,
      check.settings.limits.futureToleranceMs,
    )
  let first: Differences
  let bounds: Bounds
  let from: Position | undefined
  try {
    bounds = boundsOf({ claim: claim.watermark!, takenUs: looks.source.takenUs })
    from = windowStart(bounds, request.window)
    first = await findDifferences({
      looks,
      bounds,
      word: request.word,
      from,
      hasKey: check.choice.key.length > 0,
      rowCountEstimate: check.shape.rowCountEstimate ?? 0,
      openKeysMax: limits.openKeysMax,
      drillMaxRows: limits.drillMaxRows,
      nowMs: check.engine.clock.nowMs,
      sleep: check.engine.clock.sleep,
    })
  } finally {
    await looks.close()
  }
  const { suspects, word } = { ...first, word: request.word }
  const settled = await lookAgain({
    check,
    suspects,
    word,
    boundsOf,
    policy: limits,
    firstLookUs,
    say: request.say,
  })
  const kept = settled.filter(({ state }) => state !== 'withdrawn')
  const findings = await attributeAll(request, looks, kept, firstLookUs)
  const scope = from
    ? `${formatPosition(from)} ≤ position < ${formatPosition(bounds.settled)}`
    : `position < ${formatPosition(bounds.settled)}`
  const looked = { source: looks.source.takenUs, destination: looks.destination.takenUs }
  return {
    stream: check.settings.stream,
    checkId: request.checkId,
    generation: claim.generation,
    positionColumn: check.choice.order.column,
    watermark: formatPosition(claim.watermark),
    openedUs: String(firstLookUs),
    word,
    from: from ? canonicalOfPosition(from) : null,
    settledBefore: canonicalOfPosition(bounds.settled),
    scope,
    looked,
    counts: countVerdicts(first, settled),
    sourceRows: Number(first.sourceRows),
    atLeast: first.isCut,
    findings,
    capped: kept.length > findings.length,
    residual: residual({
      plan: check.plan,
      word,
      bucketCount: first.bucketCount,
      equalRows: first.equalRows,
      scope,
      sourceLookedAt: looked.source,
      destinationLookedAt: looked.destination,
      pending: first.pending,
      atRisk: first.atRisk,
    }),
    digits: first.digits,
    differingBuckets: first.differingBuckets,
  }
}

/** What the last run read below its watermark; the policy's answer where no record tells. */
async function overlapInForce(check: CheckSession): Promise<bigint> {
  const { engine, settings, choice } = check
  const [last] = passesOf(await engine.catalog.records(settings.catalogKey, 50))
  if (last) return last.overlap
  const memory = await loadMemory(engine, settings.catalogKey)
  return decideOverlap(
    choice.order,
    settings.overlap,
    'assumed',
    undefined,
    BigInt(memory?.extraOverlap ?? '0'),
  ).amount
}

async function attributeAll(
  request: AuditRequest,
  first: BothLooks,
  kept: readonly Settled[],
  firstLookUs: bigint,
): Promise<readonly Finding[]> {
  const { check, limits } = request
  const listed = kept.slice(0, limits.listMaxRows)
  if (listed.length === 0) return []
  const dossier = await openDossier(check, first.claim.generation, request.knowledge)
  const looks = await openLooks(check)
  try {
    const keyTexts = listed.map(({ keyText }) => keyText)
    const here = await findRows(looks.source, keyTexts)
    const there = await findRows(looks.destination, keyTexts)
    const findings = makeFindings(
      {
        check,
        checkId: request.checkId,
        generation: first.claim.generation,
        dossier,
        nowUs: String(check.engine.catalog.nowUs()),
        firstLookUs: String(firstLookUs),
        here,
        there,
      },
      listed,
    )
    if (request.word === 'position') return findings
    return nameTransit(joinChangedKeys(findings, here, there, check.plan.keyCount))
  } finally {
    await looks.close()
  }
}

function countVerdicts(first: Differences, settled: readonly Settled[]): Record<string, number> {
  const counts: Record<string, number> = { equal: Number(first.equalRows) }
  for (const { judgement, state } of settled) {
    const name = state === 'confirmed' ? judgement.toLowerCase() : state
    counts[name] = (counts[name] ?? 0) + 1
  }
  const findings = settled.filter(({ state }) => state === 'confirmed').length
  return { ...counts, findings, at_risk: first.atRisk, pending: first.pending }
}
