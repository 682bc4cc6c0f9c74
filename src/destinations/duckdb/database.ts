import { DuckDBInstance } from '@duckdb/node-api'
import { translate } from './engine-errors.ts'
import { Mutex } from './mutex.ts'
import { Pipe } from './pipe.ts'
import { Session } from './session.ts'

/** Keeps the whole program below 500 MB while a first load runs. */
export const DEFAULT_MEMORY_LIMIT_BYTES = 128 * 1024 * 1024
export const MAX_THREADS = 2

/**
 * One open database file. A process opens a file once, however many destinations are on it: DuckDB locks the file for
 * the process, and landings on one file follow each other.
 */
export interface Database {
  readonly path: string
  readonly memoryLimitBytes: number
  /** For landings, prepare and claims: hold `writing` while using it. */
  readonly writer: Session
  readonly reader: Session
  readonly writing: Mutex
  /** A session of the caller's own, for a snapshot that lasts; the caller closes it. */
  connect(): Promise<Session>
  readonly pipe: Pipe
  /**
   * 1 while rows come through the pipe: with a second thread to read it, the calling one would ask for work without a
   * pause, and take a third of the processor from the source. More for comparing and merging.
   */
  useThreads(count: number): Promise<void>
  /** Quoted name of the database in three-part names. */
  readonly catalog: string
  release(): Promise<void>
}

interface Entry {
  users: number
  readonly opened: Promise<Omit<Database, 'release'> & { close(): Promise<void> }>
}

const open = new Map<string, Entry>()

/** Opens the file, or joins those who have it open. The last `release` closes it. */
export async function useDatabase(path: string, memoryLimitBytes: number): Promise<Database> {
  const forget = () => void (open.get(path) === entry && open.delete(path))
  let entry = open.get(path)
  if (!entry) {
    entry = { users: 0, opened: openFile(path, memoryLimitBytes, () => forget()) }
    open.set(path, entry)
    entry.opened.catch(() => forget())
  }
  entry.users++
  const held = entry
  const { close, ...database } = await held.opened
  let isReleased = false
  const release = async () => {
    if (isReleased) return
    isReleased = true
    if (--held.users > 0) return
    if (open.get(path) === held) open.delete(path)
    await close()
  }
  return { ...database, release }
}

async function openFile(path: string, memoryLimitBytes: number, onFatal: () => void) {
  const instance = await DuckDBInstance.create(path, {
    threads: String(MAX_THREADS),
    memory_limit: `${memoryLimitBytes}B`,
    temp_directory: `${path}.tmp`,
    autoinstall_known_extensions: 'false',
  }).catch((error: unknown) => {
    throw translate(error)
  })
  const connect = async () => {
    const session = new Session(await instance.connect(), onFatal)
    await session.run("SET TimeZone = 'UTC'")
    return session
  }
  const writer = await connect()
  const reader = await connect()
  const [catalog] = await reader.row('SELECT current_database()')
  const pipe = new Pipe()
  let threads = MAX_THREADS
  const useThreads = async (count: number) => {
    if (threads === count) return
    await writer.run(`SET threads = ${count}`)
    threads = count
  }
  const close = async () => {
    writer.close()
    reader.close()
    instance.closeSync()
    await pipe.remove()
  }
  return {
    path,
    memoryLimitBytes,
    writer,
    reader,
    connect,
    writing: new Mutex(),
    pipe,
    useThreads,
    catalog: `"${String(catalog).replaceAll('"', '""')}"`,
    close,
  }
}
