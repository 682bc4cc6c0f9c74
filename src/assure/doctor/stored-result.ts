import type { Catalog } from '../../catalog/catalog.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import type { Severity } from './check.ts'
import type { TableContext } from './table-context.ts'

/** What the catalog remembers of the last time a table, or the source, was looked at. */
export interface StoredResult {
  readonly lookedUs: string
  /** What was asked: another position, key or fence is another question. */
  readonly question: string
  readonly checks: Readonly<Record<string, StoredCheck>>
  /** The oldest position by day, the last 35. */
  readonly oldest: readonly { readonly atUs: string; readonly oldestUs: string }[]
}

export interface StoredCheck {
  readonly severity: Severity
  /** The best there was: what "back" means for an alarm (spec A59). */
  readonly best: Severity
  readonly sentence: string
}

/** Of the source as a whole: as a configuration asks about it, or by itself. */
export const sourceName = (isConfigured: boolean): string => (isConfigured ? 'source' : 'source/unconfigured')

/** Where the result of a table lies: by its stream where it has one. */
export function nameOf(settings: StreamSettings, table: string, isConfigured: boolean): string {
  return `table/${isConfigured ? settings.catalogKey : table}`
}

/** The parts of the settings that the checks judge by. */
export function questionOf({ table, position, key, fence, appendOnly, nullKeys }: StreamSettings): string {
  const { grain, ...declared } = position ?? { grain: undefined }
  return JSON.stringify([
    table,
    declared,
    grain === undefined ? null : String(grain),
    key ?? null,
    fence.method,
    appendOnly,
    nullKeys,
  ])
}

export async function loadResult(
  catalog: Catalog,
  scope: string,
  name: string,
): Promise<StoredResult | undefined> {
  const text = await catalog.memory(scope, name)
  return text === undefined ? undefined : (JSON.parse(text) as StoredResult)
}

export const KEPT_DAYS = 35n
export const DAY_US = 86_400_000_000n

/** The oldest position that is remembered, to see whether something takes old rows away (spec A45). */
export async function oldestBefore(
  { catalog, scope, isConfigured }: { catalog: Catalog | undefined; scope: string; isConfigured: boolean },
  settings: StreamSettings,
  table: string,
): Promise<TableContext['oldestBefore']> {
  if (!catalog) return undefined
  const stored = await loadResult(catalog, scope, nameOf(settings, table, isConfigured))
  const first = stored?.oldest[0]
  if (!first) return undefined
  const daysAgo = Number((catalog.nowUs() - BigInt(first.atUs)) / DAY_US)
  return { oldestUs: BigInt(first.oldestUs), daysAgo }
}
