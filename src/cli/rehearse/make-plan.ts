import { readFileSync } from 'node:fs'
import { connectionsNeeded } from '../../assure/rehearse/estimate.ts'
import { type HowLong, howLong } from '../../assure/rehearse/how-long.ts'
import { ORDINARY_MS, typicalTransactions } from '../../assure/rehearse/load-law.ts'
import {
  makePlan,
  type PlanHead,
  planFromText,
  type RehearsalPlan,
  transactionsPerSecond,
} from '../../assure/rehearse/plan.ts'
import { choose, type Engine, type StreamSettings } from '../../extract/index.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { LoadGenerator } from '../../sources/load.ts'
import { selectStreams } from '../pipeline/select-streams.ts'

export interface PlanOptions {
  readonly multiplier: number
  readonly rate?: number
  readonly for?: number
  readonly period: number
  readonly rows: number
  readonly writers?: number
  readonly seed: number
  readonly replay?: string
}

/** A plan, the table whose settings it rehearses, and where its figures come from. */
export interface Planned {
  readonly plan: RehearsalPlan
  readonly settings: StreamSettings
  readonly long: HowLong
  /** Rows a second in the busiest minute as measured; undefined with --rate and --replay. */
  readonly busiest: number | undefined
}

/** Ten lengths of a transaction that nobody holds open (assurance A50). */
export const LEAST_PERIOD_MS = 10 * ORDINARY_MS
export const DEFAULT_ROWS = 5_000
const PAYLOAD_BYTES = 200
const WRITERS_MAX = 64
const SPARE_WRITERS = 4
/** So many times the writers that would be busy in the mean. */
const HEADROOM = 3

/** Makes the plan that the options ask for, or reads the one that is to be repeated. */
export async function planRehearsal(
  engine: Engine,
  streams: readonly StreamSettings[],
  load: LoadGenerator,
  options: PlanOptions,
  hasReplica: boolean,
): Promise<Planned> {
  if (options.replay !== undefined) {
    const plan = readPlan(options.replay)
    const { rate, periodMs, grainUs } = plan.head
    await requireConnections(load, plan.head.actors)
    return { plan, settings: streams[0]!, long: howLong(rate, periodMs, grainUs), busiest: undefined }
  }
  if (options.period < LEAST_PERIOD_MS) {
    throw new PlimsollError('USAGE', `a period of ${options.period} ms is too short`, {
      hint: `Ten lengths of an ordinary transaction, ${LEAST_PERIOD_MS} ms, is the least: below that a boundary is no longer one.`,
    })
  }
  const busiest = options.rate === undefined ? await busiestStream(load, streams) : undefined
  const settings = busiest?.settings ?? streams[0]!
  const { mayPrepare } = await load.facts()
  const rate = options.rate ?? busiest!.perSecond * options.multiplier
  const grainUs = await grainOf(engine, settings)
  const long = howLong(rate, options.period, grainUs)
  const actors = options.writers ?? writersFor(rate)
  await requireConnections(load, actors)
  const head: PlanHead = {
    version: 1,
    seed: options.seed,
    durationMs: options.for ?? long.durationMs,
    periodMs: options.period,
    rate,
    actors,
    rows: options.rows,
    payloadBytes: PAYLOAD_BYTES,
    grainUs,
    mayPrepare,
    hasReplica,
    hour: busiest?.hour ?? [],
  }
  return { plan: makePlan(head), settings, long, busiest: busiest?.perSecond }
}

/** The one table that was named, or all of them to choose from. */
export const streamsAsked = (streams: readonly StreamSettings[], table: string | undefined) =>
  selectStreams(streams, table === undefined ? [] : [table])

async function busiestStream(load: LoadGenerator, streams: readonly StreamSettings[]) {
  const SECONDS = 60
  let best: { settings: StreamSettings; perSecond: number; hour: readonly number[] } | undefined
  for (const settings of streams) {
    const column = settings.position?.column
    const counts = column && (await load.busiestHour(settings.table, column))
    if (!counts) continue
    const most = Math.max(...counts)
    if (best && most / SECONDS <= best.perSecond) continue
    best = { settings, perSecond: most / SECONDS, hour: counts.map((count) => count / most) }
  }
  if (best) return best
  throw new PlimsollError('USAGE', 'no table here tells how busy its busiest minute was', {
    hint: 'Give the rate with --rate ROWS_PER_SECOND, or name the position column in the configuration.',
  })
}

async function grainOf(engine: Engine, settings: StreamSettings): Promise<number> {
  const shape = await engine.source.describe(settings.table, settings.position)
  const { order } = choose(settings, shape)
  return order.kind === 'timestamptz' || order.kind === 'timestamp' ? Number(order.grain) : 1
}

function writersFor(rate: number): number {
  const busy = (transactionsPerSecond(rate) * typicalTransactions().meanMs) / 1_000
  return Math.min(WRITERS_MAX, Math.ceil(HEADROOM * busy) + SPARE_WRITERS)
}

async function requireConnections(load: LoadGenerator, actors: number): Promise<void> {
  const { connectionsLeft } = await load.facts()
  const needed = connectionsNeeded(actors)
  if (needed <= connectionsLeft) return
  throw new PlimsollError('USAGE', `${needed} connections are needed, and ${connectionsLeft} are free`, {
    hint: 'Raise max_connections of the staging server, or give fewer --writers.',
  })
}

function readPlan(file: string): RehearsalPlan {
  try {
    return planFromText(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new PlimsollError('USAGE', `${file} is no plan of a rehearsal`, {
      hint: 'Each rehearsal leaves plan.jsonl in its folder.',
      cause,
    })
  }
}
