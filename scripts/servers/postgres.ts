import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres, installedMajors, type PostgresBinaries } from './postgres-binaries.ts'
import { createRunFolder, killServer, type RunFolder, removeRunFolder } from './run-folder.ts'
import { serverUser } from './server-user.ts'

export { installedMajors }

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 30_000
const POLL_MS = 20
const STOP_SIGNALS = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** How a server is asked to end: wait for clients, end them, or end as if it crashed. */
export type StopMode = keyof typeof STOP_SIGNALS

/** A throw-away PostgreSQL server. `restart` keeps port and data, also after `stop` and `kill`. */
export interface PostgresServer {
  readonly which: PostgresBinaries['which']
  readonly major: number
  readonly version: string
  readonly url: string
  readonly port: number
  readonly dataDir: string
  readonly logFile: string
  readonly psqlEnv: Record<string, string>
  /** The server's process id, `undefined` while it is down. */
  pid(): number | undefined
  stop(mode?: StopMode): Promise<void>
  /** SIGKILL for the server and all its backends. */
  kill(): Promise<void>
  restart(mode?: StopMode): Promise<void>
  /** A streaming replica of this server, which restarts on the way. */
  createReplica(): Promise<PostgresServer>
  /** Ends the server and removes what it wrote, its replicas excepted. */
  dispose(): Promise<void>
}

/** `settings` go into postgresql.conf; a `dataDir` that holds a cluster is started as it is, and stays. */
export interface StartOptions {
  which: PostgresBinaries['which']
  settings?: Record<string, string | number>
  dataDir?: string
}

const TEST_SETTINGS: Record<string, string | number> = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: 100,
  max_prepared_transactions: 20,
  wal_level: 'logical',
  wal_keep_size: '128MB',
}

/** Starts a server on a free port of 127.0.0.1; its superuser `postgres` needs no password. */
export async function startPostgres({
  which,
  settings = {},
  dataDir,
}: StartOptions): Promise<PostgresServer> {
  const binaries = findPostgres(which)
  if (!binaries) throw new Error(`No ${which} PostgreSQL on this machine`)
  const folder = createRunFolder(dataDir)
  try {
    if (!existsSync(join(folder.dataDir, 'PG_VERSION'))) initialise(binaries, folder)
    writeSettings(folder, settings)
    return await launch(binaries, folder)
  } catch (error) {
    removeRunFolder(folder)
    throw error
  }
}

function initialise({ binDir }: PostgresBinaries, folder: RunFolder): void {
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  const args = ['-D', folder.dataDir, ...flags]
  execFileSync(join(binDir, 'initdb'), args, { ...serverUser(), cwd: folder.root, stdio: 'pipe' })
  writeSettings(folder, TEST_SETTINGS)
}

function writeSettings({ dataDir }: RunFolder, settings: Record<string, string | number>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${quote(String(value))}\n`)
  appendFileSync(join(dataDir, 'postgresql.conf'), lines.join(''))
}

async function launch(binaries: PostgresBinaries, folder: RunFolder): Promise<PostgresServer> {
  const port = await freePort()
  const { dataDir, logFile } = folder
  let child = await spawnServer(binaries, folder, port)

  const clear = () => {
    if (child.pid && isRunning(child)) killServer(child.pid)
    removeRunFolder(folder)
  }
  leftovers.add(clear)

  const stop = async (mode: StopMode = 'fast') => {
    if (!isRunning(child)) return
    child.kill(STOP_SIGNALS[mode])
    await waitForExit(child)
  }
  const kill = async () => {
    if (!child.pid || !isRunning(child)) return
    killServer(child.pid)
    await waitForExit(child)
  }
  const restart = async (mode?: StopMode) => {
    await stop(mode)
    child = await spawnServer(binaries, folder, port)
  }
  const createReplica = async () => {
    await stop()
    const copy = createRunFolder()
    copyAsStandby(folder, copy, port)
    child = await spawnServer(binaries, folder, port)
    return launch(binaries, copy)
  }
  const dispose = async () => {
    await stop()
    leftovers.delete(clear)
    removeRunFolder(folder)
  }

  return {
    which: binaries.which,
    major: binaries.major,
    version: binaries.version,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    dataDir,
    logFile,
    psqlEnv: { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres', PGDATABASE: 'postgres' },
    pid: () => (isRunning(child) ? child.pid : undefined),
    stop,
    kill,
    restart,
    createReplica,
    dispose,
  }
}

/** A run that ends without `dispose` takes its servers along; one that is killed leaves them to the next sweep. */
const leftovers = new Set<() => void>()
process.once('exit', () => {
  for (const clear of leftovers) clear()
})

function copyAsStandby(primary: RunFolder, standby: RunFolder, primaryPort: number): void {
  execFileSync('cp', ['-a', `${primary.dataDir}/.`, standby.dataDir])
  writeFileSync(join(standby.dataDir, 'standby.signal'), '')
  const conninfo = `host=127.0.0.1 port=${primaryPort} user=postgres application_name=replica`
  writeSettings(standby, { primary_conninfo: conninfo })
}

async function spawnServer(
  binaries: PostgresBinaries,
  folder: RunFolder,
  port: number,
): Promise<ChildProcess> {
  const { dataDir, logFile, root } = folder
  const deadline = Date.now() + START_TIMEOUT_MS
  const sockets = dataDir.length < 85 ? dataDir : ''
  const args = ['-D', dataDir, '-p', String(port), '-h', '127.0.0.1', '-k', sockets]
  for (;;) {
    const log = openSync(logFile, 'a')
    const child = spawn(join(binaries.binDir, 'postgres'), args, {
      ...serverUser(),
      cwd: root,
      detached: true,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    child.once('error', (error) => appendFileSync(logFile, `${error.message}\n`))
    child.unref()
    if (await becomesReady(child, folder, deadline)) return child
    const tail = readFileSync(logFile, 'utf8').slice(-2000)
    // After a kill, backends may hold the shared memory for a moment longer.
    if (Date.now() > deadline || !tail.includes('pre-existing shared memory')) {
      if (child.pid && isRunning(child)) killServer(child.pid)
      throw new Error(`PostgreSQL ${binaries.version} did not start:\n${tail}`)
    }
    rmSync(logFile, { force: true })
    await sleep(100)
  }
}

/** The last line of postmaster.pid says when the server takes connections, a hot standby included. */
async function becomesReady(child: ChildProcess, { dataDir }: RunFolder, deadline: number): Promise<boolean> {
  const file = join(dataDir, 'postmaster.pid')
  while (isRunning(child) && Date.now() < deadline) {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return true
    await sleep(POLL_MS)
  }
  return false
}

async function waitForExit(child: ChildProcess): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (isRunning(child)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${child.pid}) did not stop`)
    await sleep(POLL_MS)
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('No free port')
  return address.port
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
