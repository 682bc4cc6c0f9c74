import { orderFromJson } from '../../extract/facts.ts'
import type { RecordView } from '../../extract/record-view.ts'
import { isTimeLike, positionToUs } from '../../kernel/moment.ts'
import { comparePositions, type Position, positionFromJson } from '../../kernel/position.ts'
import { formatPosition } from '../../kernel/print.ts'
import type { StreamStatus, Verdict } from '../pipeline/stream-status.ts'
import type { Colour } from './colour.ts'
import { amountsAreTime, formatAmount, positionJson } from './position.ts'
import { formatUs, plural } from './quantity.ts'
import { openedAt } from './record.ts'
import { renderFields, renderTable } from './table.ts'

const CALM: ReadonlySet<Verdict> = new Set(['complete', 'running'])

/** The home screen: a verdict for the whole, a line a table, then what is wrong and what to do. */
export function renderStatus(
  name: string,
  streams: readonly StreamStatus[],
  nowUs: bigint,
  colour: Colour,
  remarks: readonly string[],
): string {
  const head = [
    'table',
    'verdict',
    'complete below',
    'behind',
    'data behind',
    'overlap',
    'late',
    'proof',
    'last run',
  ]
  const rows = streams.map((each) => [
    each.stream,
    colourOf(each.verdict, colour)(each.verdict),
    each.claimFrom === undefined ? '' : formatPosition(each.watermark),
    formatLag(watermarkLagUs(each, nowUs)),
    formatLag(eventTimeLagUs(each, nowUs)),
    overlapText(each),
    each.runsLooked === 0 ? '' : String(each.lateRows),
    each.proof ?? '',
    each.last ? `${each.last.outcome ?? '?'} ${openedAt(each.last)}` : '',
  ])
  const details = streams.flatMap((each) => explain(each, colour))
  return [
    `${colour.bold(name)}: ${overall(streams, colour)}`,
    ...remarks,
    '',
    renderTable(head, rows, [6]),
    ...(details.length > 0 ? ['', ...details] : []),
  ].join('\n')
}

/** The verdict over all tables: complete to the least of them (spec E64), or how many need a look. */
export function overall(streams: readonly StreamStatus[], colour: Colour): string {
  const worrying = streams.filter((each) => !CALM.has(each.verdict))
  if (
    streams.length > 0 &&
    worrying.length === streams.length &&
    worrying.every((each) => each.verdict === 'never run')
  ) {
    return colour.yellow('nothing has run yet')
  }
  if (worrying.length > 0) {
    const verb = worrying.length === 1 ? 'needs' : 'need'
    return colour.yellow(
      `${worrying.length} of ${plural(streams.length, 'table')} ${verb} a look: ${worrying.map((each) => `${each.stream} ${each.verdict}`).join(', ')}`,
    )
  }
  const least = leastWatermark(streams.map((each) => each.watermark))
  const until = least === undefined ? '' : ` below ${formatPosition(least)}`
  return colour.green(`${plural(streams.length, 'table')} complete${until}`)
}

/** Undefined where positions are of several kinds, or absent. */
function leastWatermark(positions: readonly (Position | undefined)[]): Position | undefined {
  const [first] = positions
  if (!first || positions.some((each) => each?.kind !== first.kind)) return undefined
  return (positions as Position[]).reduce((a, b) => (comparePositions(a, b) <= 0 ? a : b))
}

function colourOf(verdict: Verdict, colour: Colour): (text: string) => string {
  if (verdict === 'failed' || verdict === 'abandoned') return colour.red
  return CALM.has(verdict) ? colour.green : colour.yellow
}

/** now − watermark, where positions are instants; a wall time or a counter has no distance to a clock. */
export function watermarkLagUs({ watermark, lastFenced }: StreamStatus, nowUs: bigint): bigint | undefined {
  return lagUs(watermark, lastFenced, nowUs)
}

/** now − the largest position seen, as of the last run that looked. */
export function eventTimeLagUs({ lastFenced }: StreamStatus, nowUs: bigint): bigint | undefined {
  const newest = lastFenced?.newest ? positionFromJson(lastFenced.newest) : undefined
  return lagUs(newest, lastFenced, nowUs)
}

function lagUs(
  position: Position | undefined,
  record: RecordView | undefined,
  nowUs: bigint,
): bigint | undefined {
  if (!position || !record?.order || record.order.kind !== position.kind) return undefined
  const order = orderFromJson(record.order)
  if (!isTimeLike(order) || order.kind === 'timestamp' || order.kind === 'date') return undefined
  const us = positionToUs(order, position)
  return us === undefined ? undefined : nowUs - us
}

const formatLag = (us: bigint | undefined): string => (us === undefined ? '' : formatUs(us))

function overlapText({ lastFenced }: StreamStatus): string {
  if (!lastFenced?.overlap) return ''
  return formatAmount(lastFenced.overlap.amount, lastFenced.order ? amountsAreTime(lastFenced.order) : true)
}

function explain(status: StreamStatus, colour: Colour): string[] {
  const fields: [string, string][] = []
  if (status.because !== undefined) fields.push([status.verdict, status.because])
  const hint = status.last?.error?.hint
  if (hint) fields.push(['what to do', hint])
  const [holder] = status.lastFenced?.fence?.witnesses ?? []
  if (holder && (status.verdict === 'held' || status.alarms.some((alarm) => alarm.name === 'fence_held'))) {
    fields.push([
      'held by',
      ['key', 'pid', 'user', 'application', 'client', 'state']
        .flatMap((name) => (holder[name] === undefined ? [] : [`${name} ${holder[name]}`]))
        .join(', '),
    ])
  }
  for (const alarm of status.alarms) {
    if (status.verdict !== 'alarm' || alarm !== status.alarms[0])
      fields.push(['alarm', `${alarm.name}: ${alarm.latest}`])
  }
  if (status.claimFrom === 'catalog')
    fields.push(['claim', 'as the catalog remembers it: the destination was not asked'])
  return fields.length === 0 ? [] : [colour.bold(status.stream), renderFields(fields, '  ')]
}

export function statusToJson(status: StreamStatus, nowUs: bigint): Readonly<Record<string, unknown>> {
  const { last, lastFenced } = status
  const text = (us: bigint | undefined): string | null => (us === undefined ? null : String(us))
  return {
    stream: status.stream,
    verdict: status.verdict,
    because: status.because ?? null,
    watermark: positionJson(status.watermark),
    proof: status.proof ?? null,
    generation: status.generation ?? null,
    claim_from: status.claimFrom ?? null,
    watermark_lag_us: text(watermarkLagUs(status, nowUs)),
    event_time_lag_us: text(eventTimeLagUs(status, nowUs)),
    overlap: lastFenced?.overlap ?? null,
    late_rows: status.lateRows,
    runs_looked: status.runsLooked,
    last_run: last
      ? {
          run_id: last.run_id ?? null,
          kind: last.kind ?? null,
          outcome: last.outcome ?? null,
          opened_us: last.opened_us ?? null,
          error: last.error ?? null,
        }
      : null,
    fence: lastFenced?.fence
      ? {
          method: lastFenced.fence.method ?? null,
          held_because: lastFenced.fence.heldBecause ?? null,
          witnesses: lastFenced.fence.witnesses ?? [],
        }
      : null,
    alarms: status.alarms.map(({ name, level, latest, raisedUs }) => ({
      name,
      level,
      text: latest,
      raised_us: String(raisedUs),
    })),
    running: status.lease
      ? { holder: status.lease.holder, host: status.lease.host, pid: status.lease.pid }
      : null,
  }
}
