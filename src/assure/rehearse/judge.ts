import type { LoadKind } from '../../sources/load.ts'
import type { HistoryEvent, Landed, ReadEvent, TransactionEvent } from './history.ts'
import { NAIVE_READERS } from './readers.ts'

/** What one copy was worth, in rows (assurance A52). */
export interface Judged {
  readonly id: string
  readonly title: string
  readonly boundaries: number
  readonly lost: number
  readonly stale: number
  /** Rows beyond the first of a version in a copy that appends; for Plimsoll, of a key. */
  readonly duplicated: number
  /** There, but deleted at the source or never committed. */
  readonly ghost: number
  readonly backdated: number
  readonly unbumped: number
  /** Rows read for each that changed. */
  readonly reread: number
  /** Mean of clock − claim. */
  readonly behindSeconds: number
}

export interface Rehearsed {
  readonly plimsoll: Judged
  readonly readers: readonly Judged[]
  readonly planned: number
  readonly executed: number
  readonly committed: number
  readonly rowsChanged: number
  readonly sourceRows: number
  readonly kills: number
  readonly abandoned: number
  /** Backdated and unbumped rows of Plimsoll's copy that its audit did not name. */
  readonly unnamed: readonly string[]
  readonly named: number
  readonly auditNotLooked: string | null
  readonly verdict: 'clean' | 'failed' | 'inconclusive'
}

/** Below this share of the planned transactions nothing was rehearsed (assurance A53). */
const LEAST_SHARE = 0.9

type Events<Kind extends HistoryEvent['kind']> = readonly Extract<HistoryEvent, { kind: Kind }>[]

/** The table, from the history alone: same history, same table (assurance A51). */
export function judge(history: readonly HistoryEvent[]): Rehearsed {
  const all = <Kind extends HistoryEvent['kind']>(kind: Kind) =>
    history.filter((event) => event.kind === kind) as unknown as Events<Kind>
  const [head] = all('head')
  const transactions = all('transaction')
  const source = sourceOf(transactions, all('truth')[0]?.rows ?? [], head?.head.rows ?? 0)
  const readers = NAIVE_READERS.map((reader) => {
    const reads = all('read').filter((read) => read.reader === reader.id)
    const passed = passedBelow(reads.at(-1)?.markUs, reader.passes === 'at_mark')
    return {
      id: reader.id,
      title: reader.title,
      ...judgeReads(reads, source, passed),
    }
  })
  const runs = all('run').filter(({ outcome }) => outcome !== 'abandoned')
  const copy = all('copy')[0]
  const ours = compare(new Map(copy?.rows ?? []), source, passedBelow(copy?.watermarkUs, false))
  const plimsoll: Judged = {
    id: 'plimsoll',
    title: 'Plimsoll',
    // A run whose fence is held makes no boundary: its watermark stays where it was.
    boundaries: runs.filter(({ outcome }) => outcome !== 'held').length,
    ...ours.counts,
    duplicated: (copy?.rows.length ?? 0) - new Set(copy?.rows.map(([key]) => key)).size,
    reread: ratio(
      all('run').reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      source.written,
    ),
    behindSeconds: meanBehind(runs.map(({ closedUs, watermarkUs }) => [closedUs, watermarkUs])),
  }
  const [audit] = all('audit')
  const named = new Set(audit?.named.map(({ key }) => key))
  const executed = transactions.length
  const planned = head?.planned ?? 0
  const failed = plimsoll.lost + plimsoll.stale + plimsoll.duplicated > 0
  const unnamed = ours.apart.filter((key) => !named.has(key))
  return {
    plimsoll,
    readers,
    planned,
    executed,
    committed: transactions.filter(({ outcome }) => outcome === 'committed').length,
    rowsChanged: source.written - source.initial,
    sourceRows: source.rows.size,
    kills: all('kill').filter(({ died }) => died).length,
    abandoned: all('run').filter(({ outcome }) => outcome === 'abandoned').length,
    unnamed,
    named: ours.apart.length - unnamed.length,
    auditNotLooked: audit === undefined ? 'there was no audit' : audit.notLooked,
    verdict:
      failed || unnamed.length > 0 ? 'failed' : executed < LEAST_SHARE * planned ? 'inconclusive' : 'clean',
  }
}

interface Source {
  readonly rows: ReadonlyMap<string, { readonly version: string; readonly stampUs: bigint }>
  readonly tagOf: (version: string) => LoadKind
  /** Rows that stood at the beginning, and with them every row a transaction committed. */
  readonly initial: number
  readonly written: number
  readonly isCommitted: (version: string) => boolean
}

function sourceOf(
  transactions: readonly TransactionEvent[],
  truth: readonly (readonly [string, string, string])[],
  initial: number,
): Source {
  const tags = new Map<string, LoadKind>()
  const committed = transactions.filter(({ outcome }) => outcome === 'committed')
  for (const { tag, writes } of committed)
    for (const [op, , version] of writes) if (op !== 'delete') tags.set(version, tag)
  return {
    rows: new Map(truth.map(([key, version, stampUs]) => [key, { version, stampUs: BigInt(stampUs) }])),
    tagOf: (version) => tags.get(version) ?? 'ordinary',
    initial,
    written: initial + tags.size,
    isCommitted: (version) => tags.has(version) || INITIAL.test(version),
  }
}

/** Versions of the rows that were there before the load. */
const INITIAL = /^0\./

function passedBelow(markUs: string | null | undefined, inclusive: boolean): (stampUs: bigint) => boolean {
  if (markUs === null || markUs === undefined) return () => true
  const mark = BigInt(markUs)
  return (stampUs) => stampUs < mark || (inclusive && stampUs === mark)
}

function compare(copy: ReadonlyMap<string, string>, source: Source, passed: (stampUs: bigint) => boolean) {
  const counts = { lost: 0, stale: 0, ghost: 0, backdated: 0, unbumped: 0 }
  const apart: string[] = []
  for (const [key, { version, stampUs }] of source.rows) {
    const found = copy.get(key)
    if (found === version || !passed(stampUs)) continue
    const tag = source.tagOf(version)
    if (tag === 'backdated' || tag === 'unbumped') {
      counts[tag]++
      apart.push(key)
    } else if (found === undefined) counts.lost++
    else counts.stale++
  }
  for (const [key, version] of copy) {
    if (!source.rows.has(key) || !source.isCommitted(version)) counts.ghost++
  }
  return { counts, apart }
}

function judgeReads(reads: readonly ReadEvent[], source: Source, passed: (stampUs: bigint) => boolean) {
  const copy = new Map<string, string>()
  let [again, fresh] = [0, 0]
  for (const read of reads) {
    for (const [key, version] of read.landed as readonly Landed[]) copy.set(key, version)
    again += read.again
    fresh += read.landed.length
  }
  return {
    boundaries: reads.length,
    ...compare(copy, source, passed).counts,
    duplicated: again,
    reread: ratio(again + fresh, source.written),
    behindSeconds: meanBehind(reads.map(({ atUs, markUs }) => [atUs, markUs])),
  }
}

function meanBehind(moments: readonly (readonly [string, string | null])[]): number {
  const behind = moments.flatMap(([at, mark]) =>
    mark === null ? [] : [Number(BigInt(at) - BigInt(mark)) / 1e6],
  )
  return ratio(
    behind.reduce((sum, seconds) => sum + seconds, 0),
    behind.length,
  )
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
