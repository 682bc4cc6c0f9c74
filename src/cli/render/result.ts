import type { StreamResult } from '../../extract/index.ts'
import { comparePositions } from '../../kernel/position.ts'
import { formatPosition } from '../../kernel/print.ts'
import type { Colour } from './colour.ts'
import { errorToJson, renderError } from './error.ts'
import { positionJson } from './position.ts'
import { formatBytes, formatCount, formatMs, formatUs, plural } from './quantity.ts'
import { renderFields } from './table.ts'

/** One table after a run: what happened, how far it is complete, how sure that is, and what to do next. */
export function renderResult(result: StreamResult, colour: Colour, again: string | undefined): string {
  const head = `${mark(result, colour)} ${colour.bold(result.stream)}  ${headline(result, colour)}`
  const fields: [string, string][] = []
  if (result.runId !== undefined) {
    fields.push(['rows', rows(result)])
    fields.push(['complete', completeness(result)])
    if (isWaiting(result)) {
      fields.push([
        'waiting',
        `newest row ${formatPosition(result.newest)}: lands when the fence has passed it`,
      ])
    }
    if (result.outcome !== 'failed') fields.push(['how sure', sureness(result)])
    fields.push(['took', `${formatMs(result.durationMs)}${throughput(result)}; run ${result.runId}`])
  }
  for (const said of result.said) fields.push(['chosen', said])
  for (const alarm of result.alarms) fields.push([colour.yellow('alarm'), `${alarm.name}: ${alarm.text}`])
  if (result.error) fields.push(['', renderError(result.error, colour)])
  const next = nextStep(result, again)
  if (next !== undefined) fields.push(['next', next])
  return `${head}\n${renderFields(fields, '  ')}`
}

function mark(result: StreamResult, colour: Colour): string {
  if (result.error) return colour.red('✗')
  return result.outcome === 'held' || result.outcome === 'partial' ? colour.yellow('!') : colour.green('✓')
}

function headline(result: StreamResult, colour: Colour): string {
  if (result.error)
    return colour.red(result.outcome === 'failed' ? 'failed' : 'failed after a part had landed')
  if (result.outcome === 'held') return colour.yellow(`held: ${result.heldBecause ?? 'the fence stood'}`)
  if (result.outcome === 'partial') return colour.yellow('stopped after a part had landed')
  if (result.outcome !== 'empty') return 'landed'
  if (isWaiting(result)) return 'nothing below the fence yet'
  return result.newestKnown
    ? 'nothing new, and that is known'
    : 'nothing new below the fence; above it nobody looked'
}

/** The source holds rows at or above the watermark: they land once the fence has passed them. */
function isWaiting({ newest, watermarkAfter }: StreamResult): boolean {
  return newest !== undefined && watermarkAfter !== undefined && comparePositions(newest, watermarkAfter) >= 0
}

function rows(result: StreamResult): string {
  const { counts } = result
  const effects = `${plural(counts.rows_read, 'row')} read: ${formatCount(counts.inserted)} inserted, ${formatCount(counts.updated)} updated, ${formatCount(counts.unchanged)} unchanged`
  const extras = [
    counts.reprocessed > 0 ? `${formatCount(counts.reprocessed)} of them read before` : '',
    counts.late > 0 ? `${counts.late} late, caught by the overlap` : '',
    counts.regressed > 0 ? `${counts.regressed} older than what stood there` : '',
    result.peekRows > 0 ? `${result.peekRows} above the fence, not claimed` : '',
    result.billRows > 0 ? `${result.billRows} that a decree had cost` : '',
    ...Object.entries(result.laneRows).map(
      ([lane, count]) => `${count} without a place in the order (${lane})`,
    ),
  ]
  return [effects, ...extras.filter((text) => text !== '')].join('\n')
}

function completeness(result: StreamResult): string {
  const [before, after] = [formatPosition(result.watermarkBefore), formatPosition(result.watermarkAfter)]
  const lag =
    result.watermarkLagUs === undefined
      ? ''
      : `, ${formatUs(BigInt(result.watermarkLagUs))} behind the source's clock`
  if (result.watermarkBefore === undefined) return `below ${after}${lag}; the first claim`
  return before === after ? `below ${after}, as before${lag}` : `below ${after}, before ${before}${lag}`
}

function sureness(result: StreamResult): string {
  return result.proofReason === '' ? result.proof : `${result.proof}: ${result.proofReason}`
}

function throughput({ counts, durationMs }: StreamResult): string {
  if (counts.rows_read === 0) return ''
  const perSecond = Math.round((counts.rows_read / Math.max(durationMs, 1)) * 1000)
  return `, ${formatBytes(counts.bytes_read)}, ${plural(perSecond, 'row')}/s`
}

function nextStep(result: StreamResult, again: string | undefined): string | undefined {
  if (again === undefined) return undefined
  if (result.error)
    return result.outcome === 'failed' ? undefined : `what landed stays; ${again} goes on from there`
  if (result.outcome === 'held')
    return `nothing was missed; a later run goes on when the fence moves${result.fenceBoundBy === undefined ? '' : '. plimsoll status names who holds it'}`
  if (result.outcome === 'partial') return `${again} goes on at the watermark`
  if (result.obstacleAhead !== undefined) return `the next run stops at this: ${result.obstacleAhead}`
  return `${again} reads only what is new`
}

/** The same as data: names in snake_case, positions exact. */
export function resultToJson(result: StreamResult): Readonly<Record<string, unknown>> {
  return {
    stream: result.stream,
    run_id: result.runId ?? null,
    outcome: result.outcome,
    generation: result.generation,
    watermark_before: positionJson(result.watermarkBefore),
    watermark_after: positionJson(result.watermarkAfter),
    proof: result.proof,
    proof_reason: result.proofReason,
    held_because: result.heldBecause ?? null,
    fence_bound_by: result.fenceBoundBy ?? null,
    counts: result.counts,
    lane_rows: result.laneRows,
    peek_rows: result.peekRows,
    bill_rows: result.billRows,
    newest: positionJson(result.newest),
    newest_known: result.newestKnown,
    obstacle_ahead: result.obstacleAhead ?? null,
    watermark_lag_us: result.watermarkLagUs ?? null,
    event_time_lag_us: result.eventTimeLagUs ?? null,
    overlap: result.overlap ?? null,
    duration_ms: Math.round(result.durationMs),
    said: result.said,
    alarms: result.alarms,
    error: result.error ? errorToJson(result.error) : null,
  }
}
