import type { Engine } from '../../extract/engine.ts'
import type { DeleteMode, StreamSettings } from '../../extract/settings.ts'
import { type Finding, OPEN_STATES } from '../../kernel/finding.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import { resolveRepaired } from '../audit/raise-alarms.ts'
import { type CheckSession, openCheck, openLooks } from '../check-session.ts'
import { tellDestination } from '../tell-destination.ts'
import { refusesRemoval } from './may-remove.ts'
import { type PreviewedRow, previewRepair } from './preview.ts'
import { type Repaired, repairStream } from './repair-stream.ts'
import { type KeysAsked, keysOf } from './which-keys.ts'

export interface RepairAsked {
  readonly keys: KeysAsked
  /** Without it nothing is written (spec A29). */
  readonly apply: boolean
  readonly deletes: DeleteMode
}

export interface RepairAnswer {
  readonly stream: string
  /** What the rows' positions are positions of. */
  readonly order: PositionOrder
  readonly rows: readonly PreviewedRow[]
  readonly repaired: Repaired | undefined
  /** Why rows that are gone at the source stay at the destination; undefined when they do not. */
  readonly notRemoved: string | undefined
  /** Rows that still differed when they were looked at afterwards. */
  readonly stillOpen: readonly PreviewedRow[]
  readonly closedFindings: number
}

/**
 * Repairs the rows asked for, or says what it would do. Findings were confirmed by two looks; keys and ranges are looked
 * at twice here, and only what both looks agree on is touched (spec A28 to A32).
 */
export async function repairAsked(
  engine: Engine,
  settings: StreamSettings,
  asked: RepairAsked,
): Promise<RepairAnswer> {
  const check = await openCheck(engine, settings)
  const { keyTexts, findings } = await keysOf(check, asked.keys)
  const first = await look(check, keyTexts)
  const removals = first.rows.filter(({ action }) => action === 'remove')
  const notRemoved =
    removals.length === 0
      ? undefined
      : asked.deletes === 'report'
        ? 'rows that are gone at the source are only reported (deletes: report)'
        : refusesRemoval(check, removals.length, first.sourceRows)
  const answer = {
    stream: settings.stream,
    order: check.choice.order,
    rows: first.rows,
    repaired: undefined,
    notRemoved,
    stillOpen: first.rows.filter(({ action }) => action !== 'leave'),
    closedFindings: 0,
  }
  if (!asked.apply) return answer
  const agreed = findings.length > 0 ? withoutNews(first.rows, findings) : await secondLook(check, first.rows)
  const request = workOf(agreed, findings, notRemoved === undefined)
  const repaired = await repairStream({
    engine,
    settings,
    check,
    ...request,
    removal: asked.deletes === 'mark' ? 'mark' : 'remove',
    reason:
      findings.length > 0
        ? `findings ${[...new Set(findings.map((each) => each.checkId))].join(' ')}`
        : 'keys',
  })
  const after = await look(check, keyTexts)
  const closedFindings = await closeFindings(engine, findings, after.rows, repaired.runId)
  if (closedFindings > 0) await resolveRepaired(check)
  await tellDestination(check, undefined)
  const stillOpen = after.rows.filter(({ action }) => action !== 'leave')
  return { ...answer, repaired, stillOpen, closedFindings }
}

async function look(
  check: CheckSession,
  keyTexts: readonly string[],
): Promise<{ rows: readonly PreviewedRow[]; sourceRows: bigint }> {
  const looks = await openLooks(check)
  try {
    const rows = await previewRepair(
      looks,
      keyTexts.map((keyText) => ({ keyText })),
    )
    const mayRemove = rows.some(({ action }) => action === 'remove')
    let sourceRows = 0n
    if (mayRemove) {
      for (const sum of (await looks.source.sums({ rows: 'all' }, 'position', 1)).values())
        sourceRows += sum.rowCount
    }
    return { rows, sourceRows }
  } finally {
    await looks.close()
  }
}

/** Only what two looks agree on (spec A29). */
async function secondLook(
  check: CheckSession,
  first: readonly PreviewedRow[],
): Promise<readonly PreviewedRow[]> {
  await check.engine.clock.sleep(check.settings.limits.secondLookMs)
  const { rows } = await look(
    check,
    first.map(({ keyText }) => keyText),
  )
  return rows.filter((row, i) => row.action === first[i]?.action)
}

/** A row that was still there when its finding was made has been seen gone once: reconcile finds it EXTRA (spec A27, A31). */
function withoutNews(rows: readonly PreviewedRow[], findings: readonly Finding[]): readonly PreviewedRow[] {
  const gone = new Set(
    findings.flatMap(({ keyText, sourcePosition, evidence }) => [
      ...(sourcePosition === null ? [keyText] : []),
      ...(evidence.old_key_text === undefined ? [] : [evidence.old_key_text]),
    ]),
  )
  return rows.filter(({ action, keyText }) => action !== 'remove' || gone.has(keyText))
}

function workOf(
  rows: readonly PreviewedRow[],
  findings: readonly Finding[],
  mayRemove: boolean,
): { land: readonly string[]; remove: readonly string[]; duplicates: readonly string[] } {
  const twice = new Set(
    findings.filter(({ verdict }) => verdict === 'DUPLICATE').map(({ keyText }) => keyText),
  )
  const wanted = (action: PreviewedRow['action']): string[] =>
    rows.filter((row) => row.action === action).map(({ keyText }) => keyText)
  const land = [...wanted('insert'), ...wanted('update')]
  return {
    land,
    remove: mayRemove ? wanted('remove') : [],
    duplicates: land.filter((keyText) => twice.has(keyText)),
  }
}

/** A finding is closed only by a row that was seen alike afterwards (spec A32). */
async function closeFindings(
  engine: Engine,
  findings: readonly Finding[],
  rows: readonly PreviewedRow[],
  runId: string,
): Promise<number> {
  const equal = new Set(rows.filter(({ action }) => action === 'leave').map(({ keyText }) => keyText))
  const closed = findings
    .filter(({ keyText, state }) => equal.has(keyText) && OPEN_STATES.includes(state))
    .map((finding): Finding => {
      const changedUs = String(engine.catalog.nowUs())
      return { ...finding, state: 'repaired', closedBy: runId, changedUs }
    })
  await engine.catalog.putFindings(closed)
  return closed.length
}
