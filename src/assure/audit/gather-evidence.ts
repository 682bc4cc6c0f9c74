import type { StoredRecord } from '../../catalog/catalog.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import type { LedgerEntry } from '../../kernel/ledger.ts'
import { compareLogTexts } from '../../kernel/log-position.ts'
import { floorToGrain, isTimeLike, positionToUs } from '../../kernel/moment.ts'
import { comparePositions, type Position } from '../../kernel/position.ts'
import { rangeContains } from '../../kernel/range.ts'
import type { FoundRow, Look } from '../../sources/look.ts'
import type { CheckSession } from '../check-session.ts'
import { lastPassOver, type Pass, passesOf } from '../passes.ts'
import type { LatenessKnowledge } from './lateness-knowledge.ts'
import type { RowEvidence } from './mechanism.ts'

/** What every row's evidence is taken from; loaded once a check. */
export interface Dossier {
  readonly passes: readonly Pass[]
  readonly ledger: readonly LedgerEntry[]
  readonly cleanChecks: readonly CleanCheck[]
  readonly knowledge: LatenessKnowledge
}

/** An earlier check of this generation that found nothing, with what it covered. */
interface CleanCheck {
  readonly lookedUs: bigint
  readonly from: string | null
  readonly settledBefore: string
}

const RECORDS = 10_000
const FIND_PAGE = 1_000

export async function openDossier(
  check: CheckSession,
  generation: number,
  knowledge: LatenessKnowledge,
): Promise<Dossier> {
  const { catalog } = check.engine
  const { catalogKey } = check.settings
  const records = await catalog.records(catalogKey, RECORDS)
  const ledger = await catalog.ranges(catalogKey, generation)
  const passes = passesOf(records).filter((pass) => pass.generation === generation)
  return { passes, ledger, cleanChecks: cleanChecksOf(records, generation), knowledge }
}

function cleanChecksOf(records: readonly StoredRecord[], generation: number): readonly CleanCheck[] {
  const checks: CleanCheck[] = []
  for (const { json } of records) {
    const record = JSON.parse(json) as Record<string, unknown>
    const isCheck = record.kind === 'audit' || record.kind === 'reconcile'
    if (!isCheck || String(record.finding_count) !== '0' || Number(record.generation) !== generation) continue
    checks.push({
      lookedUs: BigInt(String(record.looked_source_us)),
      from: record.from === null ? null : String(record.from),
      settledBefore: String(record.settled_before),
    })
  }
  return checks
}

/** Rows as they stand at the source now, with commit times where it keeps them. */
export async function findRows(
  look: Look,
  keyTexts: readonly string[],
): Promise<ReadonlyMap<string, FoundRow>> {
  const found = new Map<string, FoundRow>()
  for (let from = 0; from < keyTexts.length; from += FIND_PAGE) {
    for (const row of await look.find(keyTexts.slice(from, from + FIND_PAGE), 'position'))
      found.set(row.keyText, row)
  }
  return found
}

/** The evidence of one lost or stale row (spec A18). */
export function evidenceOf(
  check: CheckSession,
  dossier: Dossier,
  positionText: string,
  /** Where the row stands at the destination; null for nowhere. */
  positionThere: string | null,
  row: FoundRow | undefined,
): RowEvidence {
  const { order } = check.choice
  const { knowledge } = dossier
  const position = positionFromCanonical(order, positionText)
  const pass = position && lastPassOver(dossier.passes, position)
  const positionUs = position && isTimeLike(order) ? positionToUs(order, position) : undefined
  const committedUs = row?.committedUs === undefined ? undefined : BigInt(row.committedUs)
  const latenessUs =
    committedUs !== undefined && positionUs !== undefined ? committedUs - positionUs : undefined
  return {
    positionUs,
    committedUs,
    pass,
    sharesGrain:
      position !== undefined && pass !== undefined && sharesGrain(check, position, pass.range.upper),
    largestLatenessUs: knowledge.largestLatenessUs,
    ceilingUs: ceiling(knowledge),
    wasOpen: knowledge.wasOpen(row?.transaction, pass?.snapshotUs),
    nobodyAsOld:
      latenessUs !== undefined &&
      committedUs !== undefined &&
      knowledge.sawNobodyAsOld(committedUs, latenessUs),
    rangeState: rangeState(dossier.ledger, position),
    foundEqualUs: position && foundEqual(check, dossier, position),
    // A copy without a place in the order was landed from a lane.
    wasInLane: positionThere !== null && positionFromCanonical(order, positionThere) === undefined,
    replicaWasBehind: pass !== undefined && wasBehind(pass),
  }
}

function sharesGrain(check: CheckSession, a: Position, b: Position): boolean {
  const { order } = check.choice
  return comparePositions(floorToGrain(order, a), floorToGrain(order, b)) === 0
}

const HOUR_US = 3_600_000_000n

/** C: an hour, four times the largest lateness, the longest transaction: whichever is most (spec A20). */
export function ceiling({
  largestLatenessUs = 0n,
  longestTransactionUs = 0n,
}: Pick<LatenessKnowledge, 'largestLatenessUs' | 'longestTransactionUs'>): bigint {
  return [HOUR_US, 4n * largestLatenessUs, longestTransactionUs].reduce((a, b) => (a > b ? a : b))
}

/** The last entry that holds the position decides: a bill or a backfill may have made good what a decree left open. */
function rangeState(
  ledger: readonly LedgerEntry[],
  position: Position | undefined,
): RowEvidence['rangeState'] {
  const entry = position && ledger.findLast(({ range }) => rangeContains(range, position))
  return entry?.state ?? 'unknown'
}

function foundEqual(check: CheckSession, { cleanChecks }: Dossier, position: Position): bigint | undefined {
  const { order } = check.choice
  const bound = (text: string | null): Position | undefined =>
    text === null ? undefined : positionFromCanonical(order, text)
  const covering = cleanChecks.filter(({ from, settledBefore }) => {
    const [lower, upper] = [bound(from), bound(settledBefore)]
    return upper !== undefined && rangeContains({ lower, upper }, position)
  })
  return covering
    .map(({ lookedUs }) => lookedUs)
    .reduce<bigint | undefined>(
      (latest, us) => (latest === undefined || us > latest ? us : latest),
      undefined,
    )
}

function wasBehind({ fenceLog, snapshotLog }: Pass): boolean {
  return fenceLog !== undefined && snapshotLog !== undefined && compareLogTexts(snapshotLog, fenceLog) < 0
}
