/** A copy job as people write it: what it selects, how it lands, and what it remembers for the next time. */
export interface Strategy {
  readonly id: string
  /** The condition, as in the query. */
  readonly title: string
  /** Its common use, for the report. */
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
    title: 'updated_at > max seen, upsert',
    usage: 'the textbook incremental model: WHERE updated_at > (SELECT max(updated_at) FROM target)',
    landing: 'upsert',
    why: 'what commits within a second that was already read is never looked at again',
    select: (mark) =>
      mark === undefined ? { where: 'true', values: [] } : { where: 'updated_at > ?', values: [mark] },
    nextMark: keepNewest,
  },
  {
    id: 'from-append',
    title: 'updated_at >= max seen, append',
    usage: 'an "incremental append" sync: the last second is read again, every row read is added',
    landing: 'append',
    why: 'the rows of the last second arrive again with every run',
    select: (mark) =>
      mark === undefined ? { where: 'true', values: [] } : { where: 'updated_at >= ?', values: [mark] },
    nextMark: keepNewest,
  },
  {
    id: 'from-upsert',
    title: 'updated_at >= max seen, upsert',
    usage: 'an "incremental dedup" sync: the last second is read again and merged by key',
    landing: 'upsert',
    why: 'safe while one writer at a time can commit, as in SQLite; a server commits out of order, and it loses there',
    select: (mark) =>
      mark === undefined ? { where: 'true', values: [] } : { where: 'updated_at >= ?', values: [mark] },
    nextMark: keepNewest,
  },
  {
    id: 'lag',
    title: `updated_at < now - ${FIXED_LAG_MS / 1000} s, upsert`,
    usage: 'a scheduled window: [end of the last one, now minus a fixed lag), merged by key',
    landing: 'upsert',
    why: 'a transaction that stays open longer than the lag commits into a window that was already read',
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
