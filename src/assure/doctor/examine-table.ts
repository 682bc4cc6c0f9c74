import type { StreamSettings } from '../../extract/settings.ts'
import { US_PER_DAY } from '../../kernel/calendar.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { defaultOverlap } from '../../kernel/overlap.ts'
import { type Looked, looked, type TableAccess, type TableDiagnosis } from '../../sources/diagnosis.ts'
import type { ServerIdentity, Source } from '../../sources/source.ts'
import { askPlan } from './ask-plan.ts'
import { accept, type Check } from './check.ts'
import { type ChosenOrder, chooseOrder } from './choose-order.ts'
import { claimContext } from './claim-context.ts'
import { readingRights } from './facts/reading-rights.ts'
import { judgeTable } from './judge-table.ts'
import type { Known } from './known.ts'
import { part } from './lies/part.ts'
import type { ClaimContext, TableContext } from './table-context.ts'
import { writerColumn } from './writer-column.ts'

/** One table, looked at. */
export interface ExaminedTable {
  readonly table: string
  readonly settings: StreamSettings
  readonly position: string | undefined
  readonly key: readonly string[]
  readonly checks: readonly Check[]
  /** The oldest moment there is now, and the source's clock at the last fence; for later comparisons. */
  readonly oldestUs: bigint | undefined
  readonly t0Us: bigint | undefined
}

/** What a table is looked at with. */
export interface Examination {
  readonly source: Source
  readonly identity: ServerIdentity
  readonly settings: StreamSettings
  /** As a person writes it. */
  readonly table: string
  /** A configuration names the table, so commands may. */
  readonly isConfigured: boolean
  readonly known: Known
  readonly oldestBefore: TableContext['oldestBefore']
  readonly access: Looked<TableAccess>
  readonly role: string | undefined
  readonly address: string
  readonly nowUs: bigint
}

const WINDOW_ROWS = 1_000_000

/**
 * Every check of one table (spec A42, A43, A45). A table that no column can order has one, `position`; what the source
 * does not answer could not be looked at.
 */
export async function examineTable(examination: Examination): Promise<ExaminedTable> {
  const { source, settings, table } = examination
  const nothing = { table, settings, position: undefined, key: [], oldestUs: undefined, t0Us: undefined }
  let chosen: ChosenOrder
  try {
    chosen = await chooseOrder(source, settings)
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    return { ...nothing, checks: acceptedBy(settings, [unusable(error), ...closed(examination)]) }
  }
  const diagnosis = await diagnose(examination, chosen)
  if ('notLooked' in diagnosis) {
    const { notLooked: sentence, hint: remedy } = diagnosis
    const check: Check = { name: 'position', severity: 'could_not_look', sentence, remedy, figures: {} }
    return { ...nothing, position: chosen.order.column, key: chosen.key, checks: [check] }
  }
  const { found } = diagnosis
  const reach = 'found' in found.reach ? found.reach.found : undefined
  const claim = claimContext(
    examination.known.claim,
    settings,
    examination.identity,
    chosen.order,
    reach?.nowUs,
  )
  const plan = await looked(settings.limits.doctorQueryMaxMs, () =>
    askPlan(source, settings, chosen, examination.nowUs),
  )
  const checks = judgeTable(contextOf(examination, chosen, claim), found, {
    claim: { found: claim },
    plan,
    access: examination.access,
    role: examination.role,
    address: examination.address,
  })
  return {
    table,
    settings,
    position: chosen.order.column,
    key: chosen.key,
    checks: acceptedBy(settings, checks),
    oldestUs: reach?.oldestUs,
    t0Us: claim?.t0Us,
  }
}

async function diagnose(examination: Examination, chosen: ChosenOrder): Promise<Looked<TableDiagnosis>> {
  const { source, settings, known } = examination
  const { limits } = settings
  if (!source.diagnoseTable) {
    return { notLooked: 'this kind of source tells nothing of its tables', hint: undefined }
  }
  return looked(limits.doctorQueryMaxMs, () =>
    source.diagnoseTable!({
      ...chosen,
      writer: writerColumn(chosen.shape),
      // Dates differ by days however little time lies between.
      ceilingUs: known.ceilingUs + (chosen.order.kind === 'date' ? US_PER_DAY : 0n),
      futureToleranceUs: BigInt(limits.futureToleranceMs) * 1000n,
      windowRows: WINDOW_ROWS,
      laneMaxRows: limits.laneMaxRows,
      queryMaxMs: limits.doctorQueryMaxMs,
      lockTimeoutMs: limits.lockTimeoutMs,
    }),
  )
}

/** A run would refuse the table too, for the same reason; one that nobody could ask about was not looked at. */
function unusable(error: PlimsollError): Check {
  return {
    name: 'position',
    severity: error.kind === 'usage' ? 'blocker' : 'could_not_look',
    sentence: error.message,
    remedy: error.hint,
    figures: { code: error.code },
  }
}

/** Why nothing more is known of a table, where that is a right or a policy. */
function closed({ table, access, role }: Examination): readonly Check[] {
  return [part(table, access, role), readingRights(table, access)].filter(({ severity }) => severity !== 'ok')
}

function contextOf(
  { settings, table, isConfigured, identity, known, oldestBefore }: Examination,
  chosen: ChosenOrder,
  claim: ClaimContext | undefined,
): TableContext {
  const { limits, fence } = settings
  return {
    ...chosen,
    table,
    stream: isConfigured ? settings.stream : undefined,
    engine: identity.engine,
    appendOnly: settings.appendOnly,
    nullKeys: settings.nullKeys,
    overlap: overlapOf(settings, chosen),
    method: fence.method,
    guardUs: BigInt(fence.guardMs) * 1000n,
    laneMaxRows: limits.laneMaxRows,
    fullScanMaxRows: limits.fullScanMaxRows,
    latenessLossRows: limits.latenessLossRows,
    futureToleranceUs: BigInt(limits.futureToleranceMs) * 1000n,
    periodSeconds: known.periodSeconds,
    reconciledDaysAgo: known.reconciledDaysAgo,
    claim,
    oldestBefore,
  }
}

/** What a run reads again at least. */
function overlapOf({ overlap }: StreamSettings, { order }: ChosenOrder): bigint {
  if (overlap === undefined) return defaultOverlap(order)
  return overlap.kind === 'fixed' ? overlap.amount : overlap.min
}

const acceptedBy = (settings: StreamSettings, checks: readonly Check[]): readonly Check[] =>
  accept(checks, settings.accept ?? [])
