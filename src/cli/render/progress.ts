import type { ExtractEvent } from '../../extract/index.ts'
import type { Terminal } from '../terminal.ts'
import { visibleWidth } from './colour.ts'
import { advance, describeProgress, type StreamProgress } from './progress-state.ts'

/** Shows events while a run works; `end` leaves the screen as it should stay. */
export interface Progress {
  readonly emit: (event: ExtractEvent) => void
  /** Takes the live lines away, so that something else can be written. */
  pause(): void
  end(): void
}

const REDRAW_MS = 200
const PLAIN_LINE_MS = 10_000
/** On a wide pipeline only so many lines are drawn. */
const MAX_LIVE_LINES = 20

/** A live line a stream on a terminal, a plain line every ten seconds elsewhere, none with `--quiet`. */
export function createProgress(terminal: Terminal, stream: NodeJS.WriteStream = process.stderr): Progress {
  const states = new Map<string, StreamProgress>()
  const nowMs = (): number => performance.now()
  let drawn = 0

  const running = (): StreamProgress[] => [...states.values()].filter((state) => !state.ended)
  const erase = (): void => {
    if (drawn > 0) stream.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }
  const draw = (): void => {
    erase()
    const width = Math.max(20, (stream.columns || 100) - 1)
    const lines = running()
      .slice(0, MAX_LIVE_LINES)
      .map((state) => clip(describeProgress(state, nowMs()), width))
    if (lines.length > 0) stream.write(`${lines.join('\n')}\n`)
    drawn = lines.length
  }
  const print = (): void => {
    for (const state of running()) terminal.say(describeProgress(state, nowMs()))
  }
  const timer = terminal.quiet
    ? undefined
    : setInterval(terminal.live ? draw : print, terminal.live ? REDRAW_MS : PLAIN_LINE_MS)
  timer?.unref()
  return {
    emit: (event) => {
      states.set(event.stream, advance(states.get(event.stream), event, nowMs()))
      if (event.kind !== 'alarm' && event.kind !== 'retry') return
      if (terminal.live) erase()
      terminal.say(event.kind === 'alarm' ? alarmLine(event, terminal) : retryLine(event))
    },
    pause: () => {
      if (terminal.live) erase()
    },
    end: () => {
      clearInterval(timer)
      if (terminal.live) erase()
    },
  }
}

const alarmLine = (event: ExtractEvent & { kind: 'alarm' }, { colour }: Terminal): string =>
  `${colour.yellow('alarm')} ${event.stream}: ${event.name}: ${event.text}`

const retryLine = (event: ExtractEvent & { kind: 'retry' }): string =>
  `${event.stream}: try ${event.attempt} failed: ${event.reason}`

function clip(text: string, width: number): string {
  return visibleWidth(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`
}
