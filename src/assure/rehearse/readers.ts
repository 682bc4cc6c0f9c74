import type { LoadQuery, LoadRow } from '../../sources/load.ts'

/** A program that copies changed rows as it is often written: what it selects, and what it remembers (assurance A52). */
export interface NaiveReader {
  readonly id: string
  readonly title: string
  /** One of the first six: a rehearsal that does not see it lose has shown nothing. */
  readonly loses: boolean
  /** Whether rows at the mark itself count as read: with a mark from the data they do, at a clock's bound they do not. */
  readonly passes: 'at_mark' | 'below_mark'
  /** The value that bounds a run, asked for before it reads. */
  readonly asks: 'nothing' | 'newest' | 'clock'
  begin(
    memory: ReaderMemory,
    asked: bigint | undefined,
  ): { readonly query: LoadQuery; readonly mark?: bigint }
  /** A page that is as long as its limit is followed by another one. */
  readonly pages: boolean
  /** Rows that land; all of them unless it counts ties. */
  keep?(memory: ReaderMemory, rows: readonly LoadRow[]): readonly LoadRow[]
}

export interface ReaderMemory {
  readonly mark: bigint | undefined
  readonly lastKey: string | undefined
  /** Rows that were seen at the mark. */
  readonly tieCount: number
}

export const PAGE_ROWS = 20
const SECOND_US = 1_000_000n
const LAG_US = 30n * SECOND_US
const OVERLAP_US = 300n * SECOND_US

const above = ({ mark }: ReaderMemory): LoadQuery => (mark === undefined ? {} : { above: String(mark) })
const atLeast = ({ mark }: ReaderMemory): LoadQuery => (mark === undefined ? {} : { atLeast: String(mark) })

const fromData = { loses: true, passes: 'at_mark', asks: 'nothing', pages: false } as const

/** In the order of the table; the first six lose, the last two may come out clean. */
export const NAIVE_READERS: readonly NaiveReader[] = [
  { ...fromData, id: 'after', title: '> max', begin: (memory) => ({ query: above(memory) }) },
  {
    ...fromData,
    id: 'after_paged',
    title: `> max, LIMIT ${PAGE_ROWS}`,
    pages: true,
    begin: (memory) => ({ query: { ...above(memory), limit: PAGE_ROWS } }),
  },
  { ...fromData, id: 'from', title: '>= max', begin: (memory) => ({ query: atLeast(memory) }) },
  {
    ...fromData,
    id: 'composite',
    title: '(position, key) > max',
    begin: ({ mark, lastKey }) => ({
      query: mark === undefined ? {} : { aboveRow: { position: String(mark), key: lastKey! } },
    }),
  },
  {
    ...fromData,
    id: 'max_first',
    title: 'MAX first, read after',
    asks: 'newest',
    begin: (memory, newest) =>
      newest === undefined
        ? { query: above(memory) }
        : { query: { ...above(memory), upTo: String(newest) }, mark: newest },
  },
  { ...byClock(SECOND_US, 0n), id: 'clock_1s', title: 'clock - 1 s', loses: true },
  {
    ...byClock(LAG_US, OVERLAP_US),
    id: 'clock_30s',
    title: 'clock - 30 s, overlap 5 min',
    loses: false,
  },
  {
    ...fromData,
    id: 'tie_count',
    title: '>= max, ties counted',
    loses: false,
    begin: (memory) => ({ query: atLeast(memory) }),
    keep: ({ mark, tieCount }, rows) => {
      const ties = rows.filter(({ positionUs }) => BigInt(positionUs) === mark)
      return ties.length === tieCount ? rows.slice(ties.length) : rows
    },
  },
]

function byClock(lagUs: bigint, overlapUs: bigint): Omit<NaiveReader, 'id' | 'title' | 'loses'> {
  return {
    passes: 'below_mark',
    asks: 'clock',
    pages: false,
    begin: ({ mark }, nowUs) => {
      const bound = nowUs! - lagUs
      const from = mark === undefined ? {} : { atLeast: String(mark - overlapUs) }
      return { query: { ...from, below: String(bound) }, mark: bound }
    },
  }
}

/** What is remembered after a page: the given mark, or the largest position seen. */
export function remember(
  memory: ReaderMemory,
  rows: readonly LoadRow[],
  given: bigint | undefined,
): ReaderMemory {
  const last = rows.at(-1)
  if (given !== undefined) {
    const mark = memory.mark !== undefined && memory.mark > given ? memory.mark : given
    return { ...memory, mark }
  }
  if (last === undefined) return memory
  const mark = BigInt(last.positionUs)
  const tieCount = rows.filter(({ positionUs }) => positionUs === last.positionUs).length
  return { mark, lastKey: last.key, tieCount }
}

export const NOTHING_READ: ReaderMemory = { mark: undefined, lastKey: undefined, tieCount: 0 }
