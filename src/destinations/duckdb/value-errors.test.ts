import { expect, test } from 'vitest'
import { csvOf } from '../../testing/destination-rows.ts'
import { parseCsvLine } from './value-errors.ts'

test.each([[['1', null, '', 'x']], [['a,b', 'say "hi"', 'two\nlines']], [[null]], [['', null]]])(
  'a row is read back: %j',
  (row) => {
    expect(parseCsvLine(csvOf([row]).slice(0, -1))).toEqual(row)
  },
)

test('of a row that was cut off, the whole fields are read', () => {
  expect(parseCsvLine('1,2,xx').slice(0, -1)).toEqual(['1', '2'])
  expect(parseCsvLine('1,2,"xx""').slice(0, -1)).toEqual(['1', '2'])
})
