import type { ExtractEvent } from '../../extract/index.ts'
import { comparePositions, type Position } from '../../kernel/position.ts'
import { formatPosition } from '../../kernel/print.ts'
import type { Range } from '../../kernel/range.ts'
import { formatBytes, formatCount } from './quantity.ts'

/** How far one stream has come, from its events. */
export interface StreamProgress {
  readonly stream: string
  readonly startedMs: number
  readonly phase: string
  readonly rowCount: number
  readonly byteSize: number
  /** Bytes of the slice that has not landed yet. */
  readonly pendingByteSize: number
  readonly expectedRows: number | undefined
  readonly range: Range | undefined
  readonly reached: Position | undefined
  readonly ended: boolean
}

const start = (stream: string, nowMs: number): StreamProgress => ({
  stream,
  startedMs: nowMs,
  phase: 'opening',
  rowCount: 0,
  byteSize: 0,
  pendingByteSize: 0,
  expectedRows: undefined,
  range: undefined,
  reached: undefined,
  ended: false,
})

/** The next state after an event. */
export function advance(
  before: StreamProgress | undefined,
  event: ExtractEvent,
  nowMs: number,
): StreamProgress {
  const state = before && !(before.ended && event.kind === 'run_opened') ? before : start(event.stream, nowMs)
  switch (event.kind) {
    case 'run_opened':
      return { ...state, phase: 'taking the fence' }
    case 'fence':
      return { ...state, phase: event.fence.heldBecause === undefined ? 'fenced' : 'held' }
    case 'range':
      return { ...state, phase: 'reading', range: event.range, expectedRows: event.expectedRows }
    case 'bytes':
      return { ...state, pendingByteSize: state.pendingByteSize + event.byteSize }
    case 'slice_landed':
      return {
        ...state,
        rowCount: state.rowCount + event.receipt.rowsRead,
        byteSize: state.byteSize + event.receipt.byteSize,
        pendingByteSize: 0,
        reached: event.range.upper,
      }
    case 'retry':
      return { ...state, phase: `trying again (${event.attempt})`, pendingByteSize: 0 }
    case 'run_closed':
      return { ...state, phase: event.outcome, ended: true }
    default:
      return state
  }
}

/** One line: rows, rows a second, bytes, position reached, and the share done where it can be known. */
export function describeProgress(state: StreamProgress, nowMs: number): string {
  const seconds = Math.max(0.001, (nowMs - state.startedMs) / 1000)
  const share = shareDone(state)
  const parts = [
    state.phase,
    share === undefined ? '' : `${Math.floor(share * 100)} %`,
    `${formatCount(state.rowCount)} rows`,
    `${formatCount(state.rowCount / seconds)} rows/s`,
    formatBytes(state.byteSize + state.pendingByteSize),
    state.reached ? `at ${formatPosition(state.reached)}` : '',
  ]
  return `${state.stream}  ${parts.filter((part) => part !== '').join('  ')}`
}

/** Rows against the expected ones, else the way through the range; below 1 until the range has landed. */
export function shareDone(state: StreamProgress): number | undefined {
  const { range, reached, expectedRows, rowCount } = state
  if (!range) return undefined
  if (reached && comparePositions(reached, range.upper) >= 0) return 1
  const byRows = expectedRows === undefined || expectedRows === 0 ? undefined : rowCount / expectedRows
  const share = byRows ?? shareOfRange(range, reached)
  return share === undefined ? undefined : Math.min(share, 0.99)
}

function shareOfRange({ lower, upper }: Range, reached: Position | undefined): number | undefined {
  if (!reached || !lower || lower.kind === 'text' || upper.kind === 'text' || reached.kind === 'text')
    return undefined
  const whole = upper.value - lower.value
  return whole > 0n ? Number(((reached.value - lower.value) * 1000n) / whole) / 1000 : undefined
}
