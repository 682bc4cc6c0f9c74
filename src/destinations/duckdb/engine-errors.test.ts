import { expect, test } from 'vitest'
import type { PlimsollError } from '../../kernel/errors.ts'
import { translate } from './engine-errors.ts'

test.each([
  ['IO Error: Could not write file "/d/x.duckdb": No space left on device', 'DESTINATION_DISK_FULL'],
  [
    'Out of Memory Error: failed to offload data block of size 256.0 KiB (1.0 MiB/1.0 MiB used)',
    'DESTINATION_DISK_FULL',
  ],
  [
    'Out of Memory Error: could not allocate block of size 16.0 MiB (240.6 MiB/244.1 MiB used)',
    'DESTINATION_FAILED',
  ],
  [
    'IO Error: Could not read enough bytes from file "/d/x.duckdb": attempted to read 3288 bytes from location 9000',
    'DESTINATION_UNREADABLE',
  ],
  ['IO Error: Could not read from file "/d/x.duckdb": Is a directory', 'DESTINATION_UNREADABLE'],
  [
    'IO Error: Could not set lock on file "/d/x.duckdb": Conflicting lock is held in /usr/bin/node (PID 1).',
    'DESTINATION_BUSY',
  ],
  [
    `IO Error: Could not set lock on file "/d/x.duckdb": Conflicting lock is held in node (PID ${process.pid}).`,
    'DESTINATION_UNAVAILABLE',
  ],
  ['IO Error: Could not set lock on file "/d/x.duckdb": No locks available', 'DESTINATION_UNAVAILABLE'],
  ['TransactionContext Error: Conflict on update!', 'DESTINATION_FAILED'],
])('%s is %s', (message, code) => {
  expect((translate(new Error(message)) as PlimsollError).code).toBe(code)
})

test('other values pass through', () => {
  expect(translate('text')).toBe('text')
})
