import { afterEach, expect, test, vi } from 'vitest'
import type { Terminal } from '../terminal.ts'
import { PLAIN } from './colour.ts'
import { createProgress } from './progress.ts'

afterEach(() => {
  vi.useRealTimers()
})

function terminal(kind: { live?: boolean; quiet?: boolean }) {
  vi.useFakeTimers()
  const said: string[] = []
  const written: string[] = []
  const stream = { columns: 40, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  const fake = {
    live: false,
    quiet: false,
    colour: PLAIN,
    say: (text: string) => said.push(text),
    ...kind,
  } as unknown as Terminal
  return { progress: createProgress(fake, stream), said, written }
}

const opened = { kind: 'run_opened', stream: 's.t', runId: 'r', runKind: 'run' } as const

test('on a terminal a line a stream is redrawn and taken away at the end', () => {
  const { progress, written } = terminal({ live: true })
  progress.emit(opened)
  vi.advanceTimersByTime(400)
  progress.end()
  expect(written[0]).toMatch(/^s\.t {2}taking the fence .*…\n$/)
  expect(written[0]!.length).toBeLessThanOrEqual(40)
  expect(written.filter((text) => text === '\u001b[1A\u001b[0J')).toHaveLength(2)
  expect(written.at(-1)).toBe('\u001b[1A\u001b[0J')
})

test('elsewhere a plain line every ten seconds, until the run has closed', () => {
  const { progress, said, written } = terminal({})
  progress.emit(opened)
  vi.advanceTimersByTime(25_000)
  expect(said).toHaveLength(2)
  progress.emit({ kind: 'run_closed', stream: 's.t', runId: 'r', outcome: 'empty' })
  vi.advanceTimersByTime(25_000)
  progress.end()
  expect(said).toHaveLength(2)
  expect(written).toEqual([])
})

test('none with --quiet', () => {
  const { progress, written } = terminal({ quiet: true })
  progress.emit(opened)
  vi.advanceTimersByTime(25_000)
  progress.end()
  expect(written).toEqual([])
})
