import type { Catalog } from '../../catalog/catalog.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { loadResult, nameOf, questionOf, type StoredResult, sourceName } from './stored-result.ts'

/**
 * Throws STOPPED_BY_DOCTOR while the last look found a blocker that nobody accepted (spec A41). Asks the catalog alone:
 * what changed since is seen by looking again. A result about another position, key or fence does not count.
 */
export async function refuseBlocked(
  catalog: Catalog,
  scope: string,
  settings: StreamSettings,
): Promise<void> {
  const ofSource = await loadResult(catalog, scope, sourceName(true))
  const ofTable = await loadResult(catalog, scope, nameOf(settings, '', true))
  const applies = ofTable?.question === questionOf(settings)
  const accepted = new Set<string>((settings.accept ?? []).map(({ check }) => check))
  const blockers = [...blockersIn(ofSource), ...(applies ? blockersIn(ofTable) : [])].filter(
    ({ check }) => !accepted.has(check),
  )
  const [first] = blockers
  if (!first) return
  throw new PlimsollError(
    'STOPPED_BY_DOCTOR',
    `${settings.stream}: ${blockers.map(({ check, sentence }) => `${check}: ${sentence}`).join(' ')}`,
    {
      hint: `plimsoll doctor looks again (last at ${formatTimestampUs(BigInt(first.lookedUs), 'Z')}) and says what to do. To run all the same, write below the table: accept: [{ check: ${first.check}, reason: "…", date: YYYY-MM-DD }]`,
      context: { checks: blockers.map(({ check }) => check).join(', ') },
    },
  )
}

function blockersIn(
  result: StoredResult | undefined,
): readonly { readonly check: string; readonly sentence: string; readonly lookedUs: string }[] {
  if (!result) return []
  return Object.entries(result.checks)
    .filter(([, { severity }]) => severity === 'blocker')
    .map(([check, { sentence }]) => ({ check, sentence, lookedUs: result.lookedUs }))
}
