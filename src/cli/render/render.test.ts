import { expect, test } from 'vitest'
import type { Receipt } from '../../destinations/destination.ts'
import { InvariantError } from '../../kernel/assert.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { Fence } from '../../kernel/fence.ts'
import type { Position } from '../../kernel/position.ts'
import { createColour, PLAIN, visibleWidth } from './colour.ts'
import { renderCompletion } from './completion.ts'
import { errorToJson, renderError, toJson } from './error.ts'
import { advance, describeProgress, type StreamProgress, shareDone } from './progress-state.ts'
import { formatBytes, formatCount, formatMs, formatUs } from './quantity.ts'
import { renderFields, renderTable } from './table.ts'

test('quantities', () => {
  expect([0, 999, 1000, 12004311].map(formatCount)).toEqual(['0', '999', '1,000', '12,004,311'])
  expect([0, 999, 1500, 99_940, 123_000_000].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.5 kB',
    '99.9 kB',
    '123 MB',
  ])
  expect([5, 1234, 200_000].map(formatMs)).toEqual(['5 ms', '1.2 s', '3 min 20 s'])
  expect([1n, 4_000_000n, 93_600_000_000n, 3_600_000_000n, -180_000_000n].map(formatUs)).toEqual([
    '0.001 ms',
    '4 s',
    '1 d 2 h',
    '1 h',
    '-3 min',
  ])
})

test('tables stay in line whatever is coloured', () => {
  const colour = createColour(true)
  const text = renderTable(
    ['name', 'n'],
    [
      [colour.red('ab'), '5'],
      ['abcdef', '10'],
    ],
    [1],
  )
  expect(text.split('\n').map(visibleWidth)).toEqual([10, 10, 10])
  expect(
    renderFields(
      [
        ['a', 'x\ny'],
        [colour.red('long'), 'z'],
      ],
      ' ',
    ),
  ).toBe(` a     x\n       y\n ${colour.red('long')}  z`)
  expect(createColour(false).red('x')).toBe('x')
})

test('an error shows code, message, remedy and facts, and a stack only where the fault is ours', () => {
  const error = new PlimsollError('STREAM_BUSY', 'held by another', {
    hint: 'Wait.',
    context: { pid: 5, none: undefined },
  })
  expect(renderError(error, PLAIN)).toBe('error STREAM_BUSY: held by another\nwhat to do: Wait.\n  pid: 5')
  expect(errorToJson(error)).toEqual({
    code: 'STREAM_BUSY',
    kind: 'busy',
    retry: 'manual',
    message: 'held by another',
    hint: 'Wait.',
    context: { pid: 5 },
  })
  const defect = renderError(new InvariantError('broken'), PLAIN)
  expect(defect).toContain('an invariant does not hold')
  expect(defect).toContain('render.test.ts')
  expect(errorToJson(new Error('x'))).toMatchObject({
    code: 'INTERNAL',
    stack: expect.stringContaining('Error: x'),
  })
})

test('JSON holds big numbers as text (E2)', () => {
  expect(toJson({ a: 9007199254740993n })).toBe('{"a":"9007199254740993"}')
})

const at = (value: bigint): Position => ({ kind: 'integer', value })
const stream = 's.t'
const slice = (lower: bigint, upper: bigint, rowsRead: number) => ({
  kind: 'slice_landed' as const,
  stream,
  range: { lower: at(lower), upper: at(upper) },
  receipt: { rowsRead, byteSize: 1000 } as Receipt,
  watermark: at(upper),
})

function play(events: Parameters<typeof advance>[1][]): StreamProgress {
  return events.reduce<StreamProgress | undefined>((state, event) => advance(state, event, 0), undefined)!
}

test('progress: rows, rows a second, bytes, position, share', () => {
  const opened = { kind: 'run_opened' as const, stream, runId: 'r', runKind: 'run' }
  const range = {
    kind: 'range' as const,
    stream,
    range: { lower: at(0n), upper: at(100n) },
    expectedRows: undefined,
  }
  const half = play([opened, range, slice(0n, 50n, 3000), { kind: 'bytes', stream, byteSize: 500 }])
  expect(shareDone(half)).toBe(0.5)
  expect(describeProgress(half, 2000)).toBe('s.t  reading  50 %  3,000 rows  1,500 rows/s  1.5 kB  at 50')
  const byRows = play([opened, { ...range, expectedRows: 4000 }, slice(0n, 50n, 3000)])
  expect(shareDone(byRows)).toBe(0.75)
  const more = play([opened, { ...range, expectedRows: 10 }, slice(0n, 50n, 3000)])
  expect(shareDone(more)).toBe(0.99)
  expect(shareDone(play([opened, range, slice(0n, 100n, 1)]))).toBe(1)
  expect(shareDone(play([opened]))).toBeUndefined()
})

test('progress: a held fence is said, a new run starts anew', () => {
  const opened = { kind: 'run_opened' as const, stream, runId: 'r', runKind: 'run' }
  const fence = { kind: 'fence' as const, stream, fence: { heldBecause: 'pid 7' } as Fence }
  expect(play([opened, fence]).phase).toBe('held')
  const closed = { kind: 'run_closed' as const, stream, runId: 'r', outcome: 'held' as const }
  expect(play([opened, slice(0n, 1n, 5), closed, opened])).toMatchObject({ rowCount: 0, ended: false })
})

test('completion knows the words after each command', () => {
  const commands = [
    { path: '', words: ['run', 'state'], descriptions: { run: "it's" } },
    { path: 'run', words: ['--json'], descriptions: {} },
    { path: 'state', words: ['show'], descriptions: {} },
    { path: 'state show', words: ['--state'], descriptions: {} },
  ]
  expect(renderCompletion('bash', commands)).toContain('"state show") words="--state" ;;')
  expect(renderCompletion('zsh', commands)).toContain('"run") list="--json" ;;')
  expect(renderCompletion('fish', commands)).toContain(
    "complete -c plimsoll -n '__fish_seen_subcommand_from state; and __fish_seen_subcommand_from show' -l state",
  )
  expect(renderCompletion('fish', commands)).toContain("-d 'it\\'s'")
})
