import type { LookScope, WordKind } from '../../kernel/fingerprint/comparison.ts'
import { digitsFor } from '../../kernel/fingerprint/words.ts'
import { comparePositions, type Position } from '../../kernel/position.ts'
import type { LookedRow } from '../../sources/look.ts'
import type { BothLooks } from '../check-session.ts'
import { assertDrilled, type Buckets, compareBuckets } from '../compare/buckets.ts'
import { lookUp } from '../compare/look-up.ts'
import { mergeRows } from '../compare/merge-rows.ts'
import { NotLooked } from '../not-looked.ts'
import { type Bounds, classify, type Judgement } from './classify.ts'

export interface SearchRequest {
  readonly looks: BothLooks
  readonly bounds: Bounds
  readonly word: WordKind
  /** Settled rows below it are not looked at; undefined: all. */
  readonly from: Position | undefined
  /** Without one the table is a bag, in which a row may stand twice. */
  readonly hasKey: boolean
  readonly rowCountEstimate: number
  readonly openKeysMax: number
  readonly drillMaxRows: number
  /** For the pause between two windows. */
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** Suspects are kept until they are looked at again: from here on a check has a count of "at least" (spec A3). */
const SUSPECTS_MAX = 50_000

/** One key that is not alike on both sides, as the first look saw it. */
export interface Suspect {
  readonly keyText: string
  readonly keyDigest: string
  readonly judgement: Judgement
  readonly source: LookedRow | undefined
  readonly destination: LookedRow | undefined
}

/** What one pass over both sides found. Counts are exact unless `isCut`. */
export interface Differences {
  readonly suspects: readonly Suspect[]
  /** Rows that will come by themselves (spec A10). */
  readonly atRisk: number
  readonly pending: number
  readonly equalRows: bigint
  readonly sourceRows: bigint
  readonly destinationRows: bigint
  readonly bucketCount: number
  readonly differingBuckets: number
  readonly digits: number
  readonly isCut: boolean
}

/**
 * Finds every key that differs, in one scan of sums a side and one pass over the rows of differing buckets (spec A9).
 * Rows that may still move are listed first and left out of the scan, or they would make most buckets differ.
 */
export async function findDifferences(request: SearchRequest): Promise<Differences> {
  const { looks, bounds, word } = request
  const tally = createTally(bounds)
  const open = await listOpenKeys(request)
  await looks.destination.leaveOut([...open.keys()])
  const settled = await compareSettled(request, tally)
  await compareOpen(request, open, tally)
  await compareUnordered(looks, word, tally)
  if (request.hasKey && !request.from) await findDoubled(looks, word, tally)
  return { ...settled, ...tally.result() }
}

/** The source's rows at or above the settled bound, by key (spec A9, step 1). */
async function listOpenKeys(request: SearchRequest): Promise<ReadonlyMap<string, LookedRow>> {
  const open = new Map<string, LookedRow>()
  const scope = { rows: 'ordered', lower: request.bounds.settled } as const
  for await (const batch of request.looks.source.rows(scope, request.word)) {
    for (const row of batch) open.set(row.keyText, row)
    if (open.size > request.openKeysMax) {
      throw new NotLooked(
        'source',
        `more than ${request.openKeysMax} rows moved since the settled bound: run the table, then look again`,
      )
    }
  }
  return open
}

type Settled = Pick<
  Differences,
  'equalRows' | 'sourceRows' | 'destinationRows' | 'bucketCount' | 'differingBuckets' | 'digits' | 'isCut'
>

/**
 * Settled rows in windows of positions, so that no query is long (spec A5, A14). One-sided rows are looked for wherever they
 * stand, so a row that another window holds at the other side is no loss.
 */
async function compareSettled(request: SearchRequest, tally: Tally): Promise<Settled> {
  let sum: Settled = { ...NOTHING, digits: digitsFor(request.rowCountEstimate) }
  const windows = await windowsOf(request)
  for (const [i, window] of windows.entries()) {
    const startedMs = request.nowMs()
    const found = await compareWindow(request, window, sum.digits, tally)
    sum = {
      digits: sum.digits,
      equalRows: sum.equalRows + found.equalRows,
      sourceRows: sum.sourceRows + found.sourceRows,
      destinationRows: sum.destinationRows + found.destinationRows,
      bucketCount: sum.bucketCount + found.bucketCount,
      differingBuckets: sum.differingBuckets + found.differingBuckets,
      isCut: sum.isCut || found.isCut,
    }
    if (sum.isCut) break
    if (i < windows.length - 1) await request.sleep((request.nowMs() - startedMs) * PAUSE_SHARE)
  }
  return sum
}

/** Of a window's time (decision 0027): a pause as long as the window made a reconcile of 5 M rows 1.4 times both scans. */
const PAUSE_SHARE = 0.1

const NOTHING = {
  equalRows: 0n,
  sourceRows: 0n,
  destinationRows: 0n,
  bucketCount: 0,
  differingBuckets: 0,
  isCut: false,
}

/** A row costs both words and both sides less than so many µs; a window is to take about ten seconds (spec A5, F33). */
const WINDOW_ROWS = 2_000_000

async function windowsOf({
  looks,
  bounds,
  from,
  rowCountEstimate,
}: SearchRequest): Promise<readonly LookScope[]> {
  const count = Math.ceil(rowCountEstimate / WINDOW_ROWS)
  const borders = (await looks.source.borders?.(count)) ?? []
  const inside = borders.filter(
    (each) => comparePositions(each, bounds.settled) < 0 && (!from || comparePositions(each, from) > 0),
  )
  const edges = [from, ...inside, bounds.settled]
  return edges.slice(1).map((upper, i) => {
    const lower = edges[i]
    return { rows: 'ordered', upper: upper!, ...(lower ? { lower } : {}) }
  })
}

async function compareWindow(
  request: SearchRequest,
  scope: LookScope,
  digits: number,
  tally: Tally,
): Promise<Omit<Settled, 'digits'>> {
  const { looks, word } = request
  const [here, there] = await Promise.all([
    looks.source.sums(scope, word, digits),
    looks.destination.sums(scope, word, digits),
  ])
  const compared = compareBuckets(here, there)
  const { buckets, isCut } = cutBuckets(compared.differing, here, there, request.drillMaxRows)
  let isFull = false
  let [equalRows, sourceRows, destinationRows] = [compared.equalRows, 0n, 0n]
  if (buckets.size > 0) {
    const pick = { digits, buckets }
    const [missing, extra]: [LookedRow[], LookedRow[]] = [[], []]
    const groups = mergeRows(looks.source.rows(scope, word, pick), looks.destination.rows(scope, word, pick))
    for await (const { source, destination } of groups) {
      sourceRows += BigInt(source.length)
      destinationRows += BigInt(destination.length)
      if (destination.length === 0) missing.push(...source)
      else if (source.length === 0) extra.push(...destination)
      else if (tally.add(source, destination) === 'equal') equalRows += BigInt(source.length)
      isFull = missing.length + extra.length + tally.suspectCount() >= SUSPECTS_MAX
      if (isFull) break
    }
    if (!isFull) {
      assertDrilled('source', here, buckets, sourceRows)
      assertDrilled('destination', there, buckets, destinationRows)
    }
    await lookElsewhere(looks, word, missing, extra, tally)
  }
  return {
    equalRows,
    sourceRows: compared.source.rowCount,
    destinationRows: compared.destination.rowCount,
    bucketCount: compared.bucketCount,
    differingBuckets: compared.differing.size,
    isCut: isCut || isFull,
  }
}

/** As many differing buckets as hold at most `maxRows` rows (spec F29). */
function cutBuckets(
  differing: ReadonlySet<string>,
  here: Buckets,
  there: Buckets,
  maxRows: number,
): { buckets: ReadonlySet<string>; isCut: boolean } {
  const buckets = new Set<string>()
  let rowCount = 0n
  for (const name of differing) {
    const [a, b] = [here.get(name)?.rowCount ?? 0n, there.get(name)?.rowCount ?? 0n]
    rowCount += a > b ? a : b
    if (rowCount > BigInt(maxRows) && buckets.size > 0) return { buckets, isCut: true }
    buckets.add(name)
  }
  return { buckets, isCut: false }
}

/** Rows of one side only may stand at another position on the other, outside of what was scanned (spec A9, step 4). */
async function lookElsewhere(
  looks: BothLooks,
  word: WordKind,
  missing: readonly LookedRow[],
  extra: readonly LookedRow[],
  tally: Tally,
): Promise<void> {
  const there = await lookUp(looks.destination, missing, word)
  for (const [keyText, rows] of byKey(missing)) tally.add(rows, there.get(keyText) ?? [])
  const here = await lookUp(looks.source, extra, word)
  for (const [keyText, rows] of byKey(extra)) tally.add(here.get(keyText) ?? [], rows)
}

/** Overlap, open and future rows, one by one (spec A9, step 5). */
async function compareOpen(
  { looks, bounds, word }: SearchRequest,
  open: ReadonlyMap<string, LookedRow>,
  tally: Tally,
): Promise<void> {
  const scope = { rows: 'ordered', lower: bounds.settled } as const
  const seen = new Set<string>()
  const others: LookedRow[] = []
  await looks.destination.leaveOut([])
  for await (const batch of looks.destination.rows(scope, word)) {
    for (const row of batch) {
      const source = open.get(row.keyText)
      if (!source) others.push(row)
      else if (!seen.has(row.keyText)) {
        seen.add(row.keyText)
        tally.add([source], [row])
      }
    }
  }
  for (const [keyText, row] of open) if (!seen.has(keyText)) tally.add([row], [])
  const here = await lookUp(looks.source, others, word)
  for (const [keyText, rows] of byKey(others)) {
    if (!here.has(keyText)) tally.add([], rows)
  }
}

/** Rows without a place in the order, on either side. */
async function compareUnordered(looks: BothLooks, word: WordKind, tally: Tally): Promise<void> {
  const scope = { rows: 'unordered' } as const
  const [missing, extra]: [LookedRow[], LookedRow[]] = [[], []]
  for await (const { source, destination } of mergeRows(
    looks.source.rows(scope, word),
    looks.destination.rows(scope, word),
  )) {
    if (source.length > 0 && destination.length > 0) tally.add(source, destination)
    else if (source.length > 0) missing.push(...source)
    else extra.push(...destination)
  }
  const there = await lookUp(looks.destination, missing, word)
  for (const [keyText, rows] of byKey(missing)) tally.add(rows, there.get(keyText) ?? [])
  const here = await lookUp(looks.source, extra, word)
  for (const [keyText, rows] of byKey(extra)) {
    if (!here.has(keyText)) tally.add([], rows)
  }
}

/** Keys that a destination without a constraint holds twice, in whatever zones the two stand (spec F31). */
async function findDoubled(looks: BothLooks, word: WordKind, tally: Tally): Promise<void> {
  const keyTexts = (await looks.destination.duplicates?.(DOUBLED_MAX)) ?? []
  if (keyTexts.length === 0) return
  const there = byKey(await looks.destination.find(keyTexts, word))
  const here = byKey(await looks.source.find(keyTexts, word))
  for (const [keyText, rows] of there) tally.add(here.get(keyText) ?? [], rows)
}

/** As many keys as one look is asked for at once. */
const DOUBLED_MAX = 1_000

function byKey(rows: readonly LookedRow[]): ReadonlyMap<string, readonly LookedRow[]> {
  const groups = new Map<string, LookedRow[]>()
  for (const row of rows) {
    const group = groups.get(row.keyText)
    if (group) group.push(row)
    else groups.set(row.keyText, [row])
  }
  return groups
}

interface Tally {
  add(source: readonly LookedRow[], destination: readonly LookedRow[]): Judgement
  suspectCount(): number
  result(): Pick<Differences, 'suspects' | 'atRisk' | 'pending'>
}

function createTally(bounds: Bounds): Tally {
  const suspects = new Map<string, Suspect>()
  let [atRisk, pending] = [0, 0]
  return {
    add(source, destination) {
      const judgement = classify(bounds, source, destination)
      const { keyText, keyDigest } = (source[0] ?? destination[0])!
      if (judgement === 'AT_RISK') atRisk++
      else if (judgement === 'PENDING') pending++
      else if (judgement !== 'equal') {
        const sides = { source: source[0], destination: destination[0] }
        suspects.set(keyText, { keyText, keyDigest, judgement, ...sides })
      }
      return judgement
    },
    suspectCount: () => suspects.size,
    result: () => ({ suspects: [...suspects.values()], atRisk, pending }),
  }
}
