import type { Finding } from '../../kernel/finding.ts'
import type { FoundRow } from '../../sources/look.ts'

/**
 * A row that is missing and a row that is extra, with one content but for the key, are one KEY_CHANGED (spec A27). Its key
 * is the source's; `old_key_text` is the one to take away.
 */
export function joinChangedKeys(
  findings: readonly Finding[],
  here: ReadonlyMap<string, FoundRow>,
  there: ReadonlyMap<string, FoundRow>,
  keyCount: number,
): readonly Finding[] {
  // Without a key, or where all columns are the key, nothing is left to tell such a row by.
  if (![...here.values()].some(({ texts }) => texts.length > keyCount)) return findings
  const extras = new Map<string, Finding>()
  for (const finding of findings) {
    const row = finding.verdict === 'EXTRA' ? there.get(finding.keyText) : undefined
    if (row) extras.set(contentOf(row, keyCount), finding)
  }
  const gone = new Set<string>()
  const joined = findings.map((finding): Finding => {
    const row = finding.verdict === 'LOST' ? here.get(finding.keyText) : undefined
    const extra = row && extras.get(contentOf(row, keyCount))
    if (!extra || gone.has(extra.id)) return finding
    gone.add(extra.id)
    return {
      ...finding,
      verdict: 'KEY_CHANGED',
      mechanism: 'unknown',
      grade: 'none',
      evidence: { ...finding.evidence, old_key_text: extra.keyText, old_key: extra.key.join(', ') },
    }
  })
  return joined.filter(({ id }) => !gone.has(id))
}

const contentOf = (row: FoundRow, keyCount: number): string => JSON.stringify(row.texts.slice(keyCount))
