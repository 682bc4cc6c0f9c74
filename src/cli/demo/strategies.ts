/** A copy job as people write it: what it selects, how it lands, and what it remembers for the next time. */
export interface Strategy {
  readonly id: string
  /** Its condition on `updated_at`, and how its rows land. */
  readonly title: string
  /** Where it is usual. */
  readonly usage: string
  /** `upsert`: one row a key. `append`: every row read is added. */
  readonly landing: 'upsert' | 'append'
  /** Why it loses or doubles what it does. */
  readonly why: string
  /** The rows to read now; `mark` is what `nextMark` gave the last time, undefined at first. */
  select(
    mark: string | undefined,
    nowMs: number,
  ): { readonly where: string; readonly values: readonly string[] }
  nextMark(mark: string | undefined, newestRead: string | undefined, nowMs: number): string | undefined
}

/** How far the fixed lag stays behind the clock: many times what the shop's ordinary transactions take. */
export const FIXED_LAG_MS = 2_000

const keepNewest = (mark: string | undefined, newestRead: string | undefined): string | undefined =>
  newestRead ?? mark

/** The usual strategies, each in its common configuration; `>=` in both of its usual landings. */
export const STRATEGIES: readonly Strategy[] = [
  {
    id: 'after',
    title: '> max seen, upsert',
    usage: 'incremental models by the book',
    landing: 'upsert',
    why: 'never looks again at a second it has read, though more commits in it',
    select: (mark) =>
      mark === undefined ? { where: 'true', values: [] } : { where: 'updated_at > ?', values: [mark] },
    nextMark: keepNewest,
  },
  {
    id: 'from-append',
    title: '>= max seen, append',
    usage: 'syncs called "incremental append"',
    landing: 'append',
    why: 'the last second arrives again with every run',
    select: (mark) =>
      mark === undefined ? { where: 'true', values: [] } : { where: 'updated_at >= ?', values: [mark] },
    nextMark: keepNewest,
  },
  {
    id: 'from-upsert',
    title: '>= max seen, upsert',
    usage: 'the same, merged by key',
    landing: 'upsert',
    why: 'right while one writer at a time commits, as in SQLite; servers lose rows: npm run test:race',
    select: (mark) =>
      mark === undefined ? { where: 'true', values: [] } : { where: 'updated_at >= ?', values: [mark] },
    nextMark: keepNewest,
  },
  {
    id: 'lag',
    title: `fixed lag of ${FIXED_LAG_MS / 1000} s, upsert`,
    usage: 'scheduled windows [end of the last, now - lag)',
    landing: 'upsert',
    why: 'a transaction open for longer commits into a window that was read',
    select: (mark, nowMs) => {
      const until = stampOf(nowMs - FIXED_LAG_MS)
      return mark === undefined
        ? { where: 'updated_at < ?', values: [until] }
        : { where: 'updated_at >= ? AND updated_at < ?', values: [mark, until] }
    },
    nextMark: (mark, _newest, nowMs) => {
      const until = stampOf(nowMs - FIXED_LAG_MS)
      return mark !== undefined && mark > until ? mark : until
    },
  },
]

/** A moment in the shop's format, rounded down to its second. */
export function stampOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
