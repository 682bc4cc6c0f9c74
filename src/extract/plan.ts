import type { StoredClaim } from '../destinations/destination.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { Fence } from '../kernel/fence.ts'
import { decideOverlap } from '../kernel/overlap.ts'
import { comparePositions, type Position } from '../kernel/position.ts'
import type { Range } from '../kernel/range.ts'
import type { TableShape } from '../sources/source.ts'
import { checkAgainstClaim } from './check-claim.ts'
import { type Choice, choose } from './choose.ts'
import type { Engine } from './engine.ts'
import { isMeasured } from './lateness-watch.ts'
import { loadMemory } from './progress-state.ts'
import { readerRequest } from './reader-request.ts'
import { fenceToJson } from './record.ts'
import type { StreamPlan } from './results.ts'
import type { StreamSettings } from './settings.ts'
import { rangeBelow } from './take-fence.ts'
import { targetTable } from './target-table.ts'
import { rewound } from './timeline.ts'
import { lookWhetherWentBack } from './went-back.ts'

const MAX_BORDERS = 1_000

/**
 * What a run would do now: claim, fence, overlap, range, slices, SQL, and everything that would stop it. Takes no
 * lease, writes no claim, creates no table.
 */
export async function planStream(engine: Engine, settings: StreamSettings): Promise<StreamPlan> {
  const obstacles: PlimsollError[] = []
  const collect = async <T>(work: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PlimsollError)) throw error
      obstacles.push(error)
      return undefined
    }
  }
  const found = await collect(async () => ({ claim: await engine.destination.claim(settings.stream) }))
  const claim = found?.claim
  const identity = await collect(() => engine.source.identity())
  const shape = await collect(() => engine.source.describe(settings.table, settings.position))
  const choice = shape && (await collect(() => choose(settings, shape)))
  const checked =
    identity && shape && choice
      ? await collect(() => checkAgainstClaim(settings, claim, identity, shape, choice))
      : undefined
  const memory = await loadMemory(engine, settings.catalogKey)
  const from =
    found && choice && shape
      ? await collect(() =>
          lookWhetherWentBack(engine, settings, claim, memory, targetTable(settings, shape, choice)),
        )
      : undefined
  const standing = from ?? claim
  const start =
    standing && choice && checked?.rewindUs !== undefined
      ? rewound(standing, choice.order, checked.rewindUs)
      : standing
  const details = shape && choice && (await collect(() => planRange(engine, settings, shape, choice, start)))
  if (details?.obstacle && claim?.watermark) {
    obstacles.push(
      new PlimsollError('PLAN_TOO_EXPENSIVE', 'reading the range would scan the whole table', {
        hint: details.obstacle,
      }),
    )
  }
  return {
    stream: settings.stream,
    said: choice?.said ?? [],
    claim: claim && { generation: claim.generation, watermark: claim.watermark, proof: claim.proof },
    fence: details && fenceToJson(details.fence),
    overlap: details?.overlap,
    range: details?.range,
    sliceBorders: details?.borders ?? [],
    sql: details?.sql ?? [],
    expectedRows: details?.expectedRows,
    obstacles: obstacles.map(({ code, message, hint }) => ({ code, message, hint })),
  }
}

interface PlannedRange {
  readonly fence: Fence
  readonly overlap: { readonly amount: string; readonly origin: string }
  readonly range: Range | undefined
  readonly borders: readonly Position[]
  readonly sql: readonly string[]
  readonly expectedRows: number | undefined
  readonly obstacle: string | undefined
}

async function planRange(
  engine: Engine,
  settings: StreamSettings,
  shape: TableShape,
  choice: Choice,
  claim: StoredClaim | undefined,
): Promise<PlannedRange> {
  const memory = await loadMemory(engine, settings.catalogKey)
  const lateness = await engine.lateness?.known({ settings, choice })
  const fence = await engine.source.fence({
    shape,
    order: choice.order,
    policy: { ...settings.fence, appendOnly: settings.appendOnly },
    rehearsal: true,
    latenessMeasured: isMeasured({ settings, choice }, lateness),
    outstandingDecrees: (memory?.debts ?? []).map(({ key, bound }) => ({ key, bound: bound.value })),
  })
  const decided = decideOverlap(
    choice.order,
    settings.overlap,
    fence.proof,
    lateness,
    BigInt(memory?.extraOverlap ?? '0'),
  )
  const overlap = { amount: String(decided.amount), origin: decided.origin }
  const nothing = {
    fence,
    overlap,
    range: undefined,
    borders: [],
    sql: [],
    expectedRows: undefined,
    obstacle: undefined,
  }
  const upper = fence.value
  if (!upper || (claim?.watermark && comparePositions(upper, claim.watermark) <= 0)) return nothing
  const session = { engine, settings, shape, choice, claim: claim ?? emptyClaim(settings.stream) }
  const range = rangeBelow(session, upper, decided)
  const request = readerRequest(session, fence.logPosition, fence.t0)
  const query = await engine.source.explain(request, range)
  const reader = await engine.source.openReader(request)
  const borders: Position[] = []
  try {
    let from = range.lower
    const indexed = shape.positions.some((fact) => fact.column === choice.order.column && fact.indexed)
    while (indexed && borders.length < MAX_BORDERS) {
      const border = await reader.nextBorder(from, upper, settings.limits.sliceRows)
      if (!border) break
      borders.push(border)
      from = border
    }
  } finally {
    await reader.close()
  }
  const { sql, expectedRows, obstacle } = query
  return { fence, overlap, range, borders, sql: [sql], expectedRows, obstacle }
}

function emptyClaim(stream: string): StoredClaim {
  return {
    stream,
    generation: 1,
    watermark: undefined,
    proof: 'assumed',
    epoch: 0,
    readSeq: 0,
    batch: undefined,
    tailKeys: [],
    facts: '',
  }
}
