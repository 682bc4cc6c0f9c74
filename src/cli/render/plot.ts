/** One bar: what stands before it, how long it is compared with the others, what stands behind it. */
export interface Bar {
  readonly label: string
  readonly count: number
  readonly note?: string
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/**
 * Counts as horizontal bars on a logarithmic scale, so that one row in a million is seen beside the million: each factor
 * of ten is as long as the one before. A bar of one row is never empty.
 */
export function renderBars(bars: readonly Bar[], width: number): string {
  const largest = Math.max(1, ...bars.map(({ count }) => lengthOf(count)))
  const labels = Math.max(0, ...bars.map(({ label }) => label.length))
  return bars
    .map(({ label, count, note }) => {
      const eighths = count <= 0 ? 0 : Math.max(1, Math.round((lengthOf(count) / largest) * width * 8))
      const bar = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]
      return `${label.padStart(labels)} │${[bar, note].filter(Boolean).join(' ')}`.trimEnd()
    })
    .join('\n')
}

const lengthOf = (count: number): number => Math.log10(1 + count)

/** Borders 1, 2, 5, 10, … that hold everything from `least` to `most`; only powers of ten when those would be too many. */
export function roundBorders(least: number, most: number, atMost: number): readonly number[] {
  const fine = bordersOf(least, most, [1, 2, 5])
  return fine.length - 1 <= atMost ? fine : bordersOf(least, most, [1])
}

function bordersOf(least: number, most: number, steps: readonly number[]): readonly number[] {
  const first = Math.floor(Math.log10(least))
  const all: number[] = []
  for (let power = first; all.length === 0 || all.at(-1)! <= most; power++) {
    for (const step of steps) if (all.length === 0 || all.at(-1)! <= most) all.push(step * 10 ** power)
  }
  const start = all.findLastIndex((border) => border <= least)
  return all.slice(Math.max(0, start))
}
