import type { FindingQuery } from '../../catalog/catalog.ts'
import type { Finding, FindingState } from '../../kernel/finding.ts'
import type { MemoryStore } from './memory-store.ts'

/** The findings that fit, in the order in which they were first put. */
export function listFindings(store: MemoryStore, wanted: FindingQuery): readonly Finding[] {
  const { stream, checkId, states, ids, keyTexts, limit } = wanted
  const fits = (finding: Finding): boolean =>
    (stream === undefined || finding.stream === stream) &&
    (checkId === undefined || finding.checkId === checkId) &&
    (states === undefined || states.includes(finding.state)) &&
    (ids === undefined || ids.includes(finding.id)) &&
    (keyTexts === undefined || keyTexts.includes(finding.keyText))
  return [...store.findings.values()].filter(fits).slice(0, limit)
}

export function countFindings(
  store: MemoryStore,
  stream: string,
  states: readonly FindingState[],
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const finding of store.findings.values()) {
    if (finding.stream !== stream || !states.includes(finding.state)) continue
    counts[finding.verdict] = (counts[finding.verdict] ?? 0) + 1
  }
  return counts
}
