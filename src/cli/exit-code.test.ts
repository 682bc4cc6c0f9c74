import { expect, test } from 'vitest'
import { ERROR_TABLE, type ErrorCode, PlimsollError } from '../kernel/errors.ts'
import { exitCodeOf, exitCodeOfResults } from './exit-code.ts'

const failed = (code: ErrorCode) => ({ error: new PlimsollError(code, 'x') })
const fine = { error: undefined }

test.each<[ErrorCode, number]>([
  ['CONFIG_INVALID', 2],
  ['TABLE_NOT_FOUND', 2],
  ['KEY_NOT_UNIQUE', 3],
  ['SOURCE_UNAVAILABLE', 4],
  ['DESTINATION_DISK_FULL', 5],
  ['STREAM_BUSY', 6],
])('%s ends with %i', (code, exitCode) => {
  expect(exitCodeOf(new PlimsollError(code, 'x'))).toBe(exitCode)
})

test('every known code has an exit code other than that of a defect', () => {
  for (const code of Object.keys(ERROR_TABLE) as ErrorCode[]) {
    expect(exitCodeOf(new PlimsollError(code, 'x'))).toBeGreaterThan(1)
  }
  expect(exitCodeOf(new Error('x'))).toBe(1)
})

test('some failed: 7; all failed: the first one’s; none: 0', () => {
  expect(exitCodeOfResults([fine, failed('SOURCE_FAILED')])).toBe(7)
  expect(exitCodeOfResults([failed('DESTINATION_FAILED'), failed('SOURCE_FAILED')])).toBe(5)
  expect(exitCodeOfResults([fine, fine])).toBe(0)
  expect(exitCodeOfResults([])).toBe(0)
})
