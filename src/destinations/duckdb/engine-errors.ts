import { type ErrorCode, PlimsollError } from '../../kernel/errors.ts'

interface Rule {
  readonly pattern: RegExp
  readonly code: ErrorCode
  readonly hint: string
}

/** DuckDB has no error codes: its messages are matched, the first rule wins. */
const RULES: readonly Rule[] = [
  {
    pattern:
      /No space left on device|could not write all bytes|disk quota|Quota exceeded|ENOSPC|File too large|EFBIG/i,
    code: 'DESTINATION_DISK_FULL',
    hint: 'Free space on the disk of the database file, then run again. Nothing of this landing was kept.',
  },
  {
    pattern: /max_temp_directory_size|failed to offload data block/i,
    code: 'DESTINATION_DISK_FULL',
    hint: 'DuckDB spills to <file>.tmp beside the database: free space there, then run again.',
  },
  {
    pattern: /Could not set lock on file|Conflicting lock/i,
    code: 'DESTINATION_UNAVAILABLE',
    hint: 'The file could not be locked. Is it on a disk that knows locks?',
  },
  {
    pattern:
      /not a valid DuckDB database file|newer (storage )?version|database file with version number|older version|Corrupt database file|Serialization Error/i,
    code: 'DESTINATION_UNREADABLE',
    hint: 'Is the path right? A file of a newer DuckDB needs a newer @duckdb/node-api; another kind of file is never overwritten.',
  },
  {
    pattern: /Could not read enough bytes from file/i,
    code: 'DESTINATION_UNREADABLE',
    hint: 'The file is cut off or damaged. Restore it; or move it away and let the next run load everything again.',
  },
  {
    pattern: /Is a directory/i,
    code: 'DESTINATION_UNREADABLE',
    hint: 'A folder is there. Name a file in it, such as duckdb:folder/copy.duckdb.',
  },
  {
    pattern: /Cannot open file|No such file or directory|Permission denied|Read-only file system/i,
    code: 'DESTINATION_UNREADABLE',
    hint: 'The directory must exist and be writable: DuckDB makes the file, never its directory.',
  },
  {
    pattern: /^Out of Memory Error/i,
    code: 'DESTINATION_FAILED',
    hint: 'Raise `destination.memoryLimit`, or make slices smaller (`sliceRows`).',
  },
  {
    pattern: /./s,
    code: 'DESTINATION_FAILED',
    hint: 'DuckDB refused the statement; its own words are in the message.',
  },
]

const MESSAGE_LENGTH = 1500

/** DuckDB's errors as ours; others pass through. */
export function translate(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof PlimsollError) return error
  const holder = holderOf(error.message)
  if (holder !== undefined) {
    return new PlimsollError('DESTINATION_BUSY', `another process has the DuckDB file open${holder}`, {
      hint: 'DuckDB lets one process write. Wait until it is done, or end it.',
      cause: error,
    })
  }
  const { code, hint } = RULES.find(({ pattern }) => pattern.test(error.message))!
  return new PlimsollError(code, error.message.slice(0, MESSAGE_LENGTH), { hint, cause: error })
}

/** Who else holds the file, where DuckDB says so; a lock that fails for another reason is nobody's. */
function holderOf(message: string): string | undefined {
  const [, program, pid] = /Conflicting lock is held in (.*?) ?\(PID (\d+)\)/i.exec(message) ?? []
  if (pid !== undefined && Number(pid) !== process.pid) return `: ${program}, pid ${pid}`
  return /being used by another process/i.test(message) ? '' : undefined
}
