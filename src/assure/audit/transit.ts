import type { Finding } from '../../kernel/finding.ts'

const MIN_ROWS = 20
const MIN_SHARE = 0.95

/**
 * Twenty rows and 95 % of a column's differences of one kind are a defect of the way, not of the source: TRANSIT. Where
 * commit times show that a row changed after it was read, it is UNBUMPED whatever the others are (spec A26).
 */
export function nameTransit(findings: readonly Finding[]): readonly Finding[] {
  const counts = new Map<string, Map<string, number>>()
  for (const { columns, verdict } of findings) {
    if (verdict !== 'UNBUMPED') continue
    for (const { column, how } of columns) {
      const kinds = counts.get(column) ?? new Map<string, number>()
      counts.set(column, kinds.set(how, (kinds.get(how) ?? 0) + 1))
    }
  }
  const isDefect = (column: string, how: string): boolean => {
    const kinds = counts.get(column)
    const total = [...(kinds?.values() ?? [])].reduce((sum, count) => sum + count, 0)
    const mine = kinds?.get(how) ?? 0
    return how !== 'other' && mine >= MIN_ROWS && mine >= total * MIN_SHARE
  }
  return findings.map((finding) => {
    if (finding.verdict !== 'UNBUMPED') return finding
    const changed = changedAfterRead(finding)
    const suggests = finding.columns.some(({ column, how }) => isDefect(column, how))
    return (changed ?? !suggests) ? finding : { ...finding, verdict: 'TRANSIT' }
  })
}

/** Whether the present version was committed after the last run over its position; undefined where nobody knows. */
function changedAfterRead({ evidence }: Finding): boolean | undefined {
  const { committed_at: committed, passed_at: passed } = evidence
  return committed === undefined || passed === undefined ? undefined : committed > passed
}
