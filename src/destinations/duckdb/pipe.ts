import { execFile } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PlimsollError } from '../../kernel/errors.ts'
import { isAlive, startOf } from './process-start.ts'

const PREFIX = 'plimsoll-duckdb-'
const POLL_MS = 1

/**
 * A named pipe through which DuckDB's `read_csv` gets bytes. Its writing end is opened without blocking and written by
 * the event loop, never by libuv's pool, which DuckDB's own queries occupy.
 */
export class Pipe {
  #path: Promise<string> | undefined

  path(): Promise<string> {
    this.#path ??= makePipe()
    return this.#path
  }

  /**
   * The writing end, once a reader has opened the pipe; undefined when `isOver` says that no reader will come. Opening
   * fails until there is a reader, so bytes are never written into, and lost with, a pipe nobody reads.
   */
  async openWriter(isOver: () => boolean): Promise<PipeWriter | undefined> {
    const path = await this.path()
    while (!isOver()) {
      const fd = tryOpen(path)
      if (fd !== undefined) return new PipeWriter(fd)
      await sleep(POLL_MS)
    }
    return undefined
  }

  async remove(): Promise<void> {
    const path = await this.#path?.catch(() => undefined)
    this.#path = undefined
    if (path) await rm(join(path, '..'), { recursive: true, force: true })
  }
}

/** Closing it is the end of the file for DuckDB. */
export class PipeWriter {
  readonly #socket: Socket
  #failure: Error | undefined

  constructor(fd: number) {
    this.#socket = new Socket({ fd, readable: false, writable: true })
    this.#socket.on('error', (error) => {
      this.#failure = error
    })
  }

  /** Resolves when the bytes are in the pipe; false when the reader is gone. */
  async write(bytes: Buffer): Promise<boolean> {
    if (this.#failure) return false
    await new Promise<void>((resolve) => this.#socket.write(bytes, () => resolve()))
    return this.#failure === undefined
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.closed) return resolve()
      this.#socket.once('close', () => resolve())
      this.#socket.destroy()
    })
  }
}

/** Removes what processes that are gone left behind. */
export async function sweepPipes(): Promise<string[]> {
  const removed: string[] = []
  for (const name of await readdir(tmpdir())) {
    const owner = /^plimsoll-duckdb-(\d+)-(\d+)-/.exec(name)
    if (!owner || (await isAlive(Number(owner[1]), owner[2]!))) continue
    await rm(join(tmpdir(), name), { recursive: true, force: true })
    removed.push(name)
  }
  return removed
}

async function makePipe(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${await startOf(process.pid)}-`))
  const path = join(directory, 'rows.csv')
  await promisify(execFile)('mkfifo', ['-m', '600', path]).catch((error: unknown) => {
    throw new PlimsollError('DESTINATION_FAILED', `mkfifo made no pipe in ${tmpdir()}`, {
      hint: 'The DuckDB destination needs the `mkfifo` command (coreutils) and a temporary directory that holds pipes.',
      cause: error,
    })
  })
  return path
}

function tryOpen(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') return undefined
    throw error
  }
}
