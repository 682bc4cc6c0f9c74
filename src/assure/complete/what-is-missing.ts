import type { Catalog } from '../../catalog/catalog.ts'
import { completeThrough } from '../../kernel/completeness.ts'
import { MISSING_VERDICTS, OPEN_STATES } from '../../kernel/finding.ts'
import { positionFromCanonical } from '../../kernel/fingerprint/position-text.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { type Position, positionFromJson } from '../../kernel/position.ts'
import { unsettledReceipts } from '../compare/unsettled-receipts.ts'
import type { KnownClaim } from './known-claim.ts'

const FINDINGS = 10_000

/**
 * What makes a claim incomplete below `throughUs` though its watermark has passed: rows known to be lost or stale, holes,
 * decrees whose bill is open, a receipt that was short (spec A54, A13). Sentences; what cannot be placed in time counts.
 */
export async function whatIsMissing(
  catalog: Catalog,
  catalogKey: string,
  claim: KnownClaim,
  throughUs: bigint,
): Promise<readonly string[]> {
  const missing: string[] = []
  const rows = await missingRows(catalog, catalogKey, claim, throughUs)
  if (rows !== undefined) missing.push(rows)
  const below = (position: Position | undefined): boolean => isBelow(claim.order, position, throughUs)
  const short = await unsettledReceipts(catalog, catalogKey, { clean: false })
  if (short.some(({ range }) => !range?.lower || below(positionFromJson(range.lower))))
    missing.push('a run landed fewer rows than it read, and no audit has looked at its range since')
  const holes = (claim.coverage ?? []).filter(({ state, lower }) => state === 'hole' && below(lower))
  if (holes.length > 0) missing.push(`${holes.length} ranges were skipped by hand and stay a hole`)
  const debts = claim.debts.filter(({ bound }) => below(positionFromJson(bound)))
  for (const { key } of debts)
    missing.push(`it rests on a decree: the fence passed over ${key}, which may still commit`)
  if (claim.coverage === undefined && debts.length === 0 && (claim.row?.decreeCount ?? 0) > 0)
    missing.push(`it rests on ${claim.row?.decreeCount} decrees whose bill is open`)
  return missing
}

async function missingRows(
  catalog: Catalog,
  catalogKey: string,
  { order, row }: KnownClaim,
  throughUs: bigint,
): Promise<string | undefined> {
  const counts = await catalog.countFindings(catalogKey, OPEN_STATES)
  const known = MISSING_VERDICTS.reduce((sum, verdict) => sum + (counts[verdict] ?? 0), 0)
  if (known === 0) {
    // The catalog that counted them may be lost; every audit and repair of the next one counts anew.
    const there = row?.lostRowCount ?? 0
    return there > 0 ? `${there} rows are known to be missing` : undefined
  }
  const findings = await catalog.findings({ stream: catalogKey, states: OPEN_STATES, limit: FINDINGS })
  const lost = findings.filter(({ verdict }) => MISSING_VERDICTS.includes(verdict))
  const below = lost.filter(({ sourcePosition }) => {
    const position = order && sourcePosition ? positionFromCanonical(order, sourcePosition) : undefined
    return isBelow(order, position, throughUs)
  })
  const atLeast = findings.length === FINDINGS && known > below.length ? 'at least ' : ''
  return below.length === 0 && atLeast === ''
    ? undefined
    : `${atLeast}${below.length} rows are known to be missing or stale (plimsoll audit found them)`
}

/** Whether a position lies before the instant; one that stands for no instant might. */
function isBelow(order: PositionOrder | undefined, position: Position | undefined, us: bigint): boolean {
  const at = order && position && completeThrough(order, position, [])
  return at === undefined || at < us
}
