const SHOWN = 3

/** The known names most like the wanted one, nearest first, for a hint; few or none when nothing is alike. */
export function nearestNames(wanted: string, known: readonly string[]): readonly string[] {
  return known
    .map((name) => ({ name, steps: editSteps(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= Math.max(2, name.length / 2))
    .sort((a, b) => a.steps - b.steps)
    .slice(0, SHOWN)
    .map(({ name }) => name)
}

/** How many letters must be added, removed or changed (Levenshtein). */
function editSteps(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, changed))
    }
    row = next
  }
  return row[b.length]!
}
