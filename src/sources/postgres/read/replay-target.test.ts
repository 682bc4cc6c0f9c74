import { expect, test } from 'vitest'
import { parseLsn, replayTarget } from './replay-target.ts'

const PAGE = 8192
const SEGMENT = 16 * 1024 * 1024

test('OWN-7: behind a bare page header the page itself is enough', () => {
  expect(replayTarget('0/3000028', PAGE, SEGMENT)).toBe('0/3000000')
  expect(replayTarget('16/B3742018', PAGE, SEGMENT)).toBe('16/B3742000')
})

test('everywhere else the position itself must be replayed', () => {
  for (const lsn of ['0/3000018', '0/3002028', '0/3000029', '0/3000000', '16/B374D848', 'FF/FFFFFFFF']) {
    expect(replayTarget(lsn, PAGE, SEGMENT)).toBe(lsn)
  }
})

test('a log position is one number', () => {
  expect(parseLsn('1/0')).toBe(2n ** 32n)
  expect(parseLsn('0/FFFFFFFF') + 1n).toBe(parseLsn('1/0'))
})
