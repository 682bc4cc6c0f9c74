import type { Catalog } from '../../catalog/catalog.ts'
import { type Check, isFound, type Severity } from './check.ts'
import type { DoctorRequest, ExaminedSource } from './examine-source.ts'
import type { ExaminedTable } from './examine-table.ts'
import {
  DAY_US,
  KEPT_DAYS,
  loadResult,
  nameOf,
  questionOf,
  type StoredCheck,
  type StoredResult,
  sourceName,
} from './stored-result.ts'

/** A check that is not what it was the last time. */
export interface Change {
  /** Undefined for the source as a whole. */
  readonly table: string | undefined
  readonly check: string
  readonly before: Severity
  readonly now: Severity
}

const ALARM = 'doctor_changed'
const RANK: Readonly<Record<Severity, number>> = { ok: 0, note: 1, could_not_look: 1, warning: 2, blocker: 3 }

/**
 * Stores the result and says what changed since the last one. A check that got worse than it ever was is an alarm of its
 * stream until it is back, or accepted (spec A59). What could not be looked at keeps its last severity.
 */
export async function keepResult(
  { catalog, scope, isConfigured }: DoctorRequest & { readonly catalog: Catalog },
  examined: ExaminedSource,
): Promise<readonly Change[]> {
  const changes: Change[] = []
  const parts = [
    {
      name: sourceName(isConfigured),
      stream: scope,
      table: undefined,
      question: '',
      checks: examined.checks,
      oldestUs: undefined,
    },
    ...examined.tables.map((table) => partOf(table, isConfigured)),
  ]
  for (const part of parts) {
    const before = await loadResult(catalog, scope, part.name)
    const checks = merge(before, part.checks)
    changes.push(...changesOf(before, part.checks, part.table))
    const stored: StoredResult = {
      lookedUs: String(catalog.nowUs()),
      question: part.question,
      checks,
      oldest: rememberOldest(before, part.oldestUs, catalog.nowUs()),
    }
    await catalog.remember(scope, part.name, JSON.stringify(stored))
    if (isConfigured) await tell(catalog, part.stream, part.checks, checks)
  }
  return changes
}

function partOf(examined: ExaminedTable, isConfigured: boolean) {
  const { settings, table, checks, oldestUs } = examined
  return {
    name: nameOf(settings, table, isConfigured),
    stream: settings.catalogKey,
    table,
    question: questionOf(settings),
    checks,
    oldestUs,
  }
}

function merge(before: StoredResult | undefined, checks: readonly Check[]): StoredResult['checks'] {
  const stored = checks.map(({ name, severity, sentence }): [string, StoredCheck] => {
    const old = before?.checks[name]
    if (severity === 'could_not_look' && old) return [name, old]
    const best = old && RANK[old.best] < RANK[severity] ? old.best : severity
    return [name, { severity, best, sentence }]
  })
  return Object.fromEntries(stored)
}

function changesOf(
  before: StoredResult | undefined,
  checks: readonly Check[],
  table: string | undefined,
): Change[] {
  return checks.flatMap(({ name, severity }) => {
    const old = before?.checks[name]?.severity
    return old === undefined || old === severity ? [] : [{ table, check: name, before: old, now: severity }]
  })
}

/** One alarm a stream for all that got worse; a page where a run is stopped by it. */
async function tell(
  catalog: Catalog,
  stream: string,
  checks: readonly Check[],
  stored: StoredResult['checks'],
): Promise<void> {
  const worse = checks.filter(
    (check) => isFound(check) && RANK[check.severity] > RANK[stored[check.name]!.best],
  )
  if (worse.length > 0) {
    const text = worse.map(({ name, severity, sentence }) => `${name} ${severity}: ${sentence}`).join(' ')
    const level = worse.some(({ severity }) => severity === 'blocker') ? 'page' : 'notice'
    return catalog.raiseAlarm(stream, ALARM, text, worse.map(({ name }) => name).join(', '), level)
  }
  if (checks.every(({ severity }) => severity !== 'could_not_look')) await catalog.resolveAlarm(stream, ALARM)
}

/** One a day, the first of it. */
function rememberOldest(
  before: StoredResult | undefined,
  oldestUs: bigint | undefined,
  nowUs: bigint,
): StoredResult['oldest'] {
  const kept = (before?.oldest ?? []).filter(({ atUs }) => nowUs - BigInt(atUs) <= KEPT_DAYS * DAY_US)
  const last = kept.at(-1)
  const isSameDay = last !== undefined && BigInt(last.atUs) / DAY_US === nowUs / DAY_US
  if (oldestUs === undefined || isSameDay) return kept
  return [...kept, { atUs: String(nowUs), oldestUs: String(oldestUs) }]
}
