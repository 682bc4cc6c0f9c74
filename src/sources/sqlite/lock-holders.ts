import { readFileSync, statSync } from 'node:fs'

/** SQLite's reserved byte of a file, and the write lock's byte of a write-ahead log's index. */
const RESERVED_BYTE = 0x40000001
const WAL_WRITE_BYTE = 120

/** The processes that hold the file's write lock, as /proc/locks shows them; empty where there is none. */
export function lockHolders(file: string): readonly number[] {
  const places = [placeOf(file, RESERVED_BYTE), placeOf(`${file}-shm`, WAL_WRITE_BYTE)]
  const pids = readLocks()
    .filter((lock) => places.some((place) => place && lock.inode === place.inode && covers(lock, place.byte)))
    .map((lock) => lock.pid)
  return [...new Set(pids)]
}

interface Lock {
  readonly pid: number
  readonly inode: string
  readonly start: number
  readonly end: number
}

function covers(lock: Lock, byte: number): boolean {
  return lock.start <= byte && byte <= lock.end
}

function placeOf(file: string, byte: number): { inode: string; byte: number } | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats && { inode: String(stats.ino), byte }
}

function readLocks(): readonly Lock[] {
  let text: string
  try {
    text = readFileSync('/proc/locks', 'utf8')
  } catch {
    return []
  }
  const line = /^\d+: POSIX\s+\S+\s+WRITE (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) (\d+) (\d+|EOF)$/gm
  return [...text.matchAll(line)].map(([, pid, inode, start, end]) => ({
    pid: Number(pid),
    inode: inode!,
    start: Number(start),
    end: end === 'EOF' ? Number.MAX_SAFE_INTEGER : Number(end),
  }))
}
