import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { serverTmpdir, serverUser } from './server-user.ts'

const PREFIX = 'plimsoll-pg-'

/** Where one server lives: `root` holds its log and who started it, `dataDir` its data. */
export interface RunFolder {
  root: string
  dataDir: string
  logFile: string
}

/** A new folder for one server. Servers and folders of runs that died are cleared away first. */
export function createRunFolder(givenDataDir?: string): RunFolder {
  sweepRunFolders()
  const root = mkdtempSync(join(serverTmpdir(), PREFIX))
  chmodSync(root, 0o755)
  const dataDir = givenDataDir ?? join(root, 'data')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const { uid, gid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(dataDir, uid, gid)
  writeFileSync(join(root, 'owner.json'), JSON.stringify({ pid: process.pid, host: hostname(), dataDir }))
  return { root, dataDir, logFile: join(root, 'postgres.log') }
}

/** Removes a server's folder; a data directory that the caller named stays. */
export function removeRunFolder({ root }: RunFolder): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** Ends servers whose starter is gone, and removes their folders. */
export function sweepRunFolders(): void {
  const base = serverTmpdir()
  for (const name of readdirSync(base).filter((entry) => entry.startsWith(PREFIX))) {
    const root = join(base, name)
    const owner = readOwner(root)
    if (!owner || owner.host !== hostname() || isAlive(owner.pid)) continue
    const server = serverIn(owner.dataDir)
    if (server !== undefined) killServer(server)
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

/** SIGKILL for a server and its backends, which would otherwise work on until they notice. */
export function killServer(pid: number): void {
  const backends = childrenOf(pid)
  for (const target of [pid, ...backends]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It ended by itself in the meantime.
    }
  }
}

/** The process id of the server that runs on a data directory. */
function serverIn(dataDir: string): number | undefined {
  const file = join(dataDir, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
  return readProc(pid, 'cmdline').includes(dataDir) ? pid : undefined
}

function childrenOf(pid: number): number[] {
  if (!existsSync('/proc')) return []
  return readdirSync('/proc')
    .map(Number)
    .filter((candidate) => candidate > 0 && parentOf(candidate) === pid)
}

function parentOf(pid: number): number {
  // "123 (name, which may hold spaces) S 45 …": the parent is the second word after the name.
  return Number(readProc(pid, 'stat').split(') ').at(-1)?.split(' ')[1])
}

function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function readOwner(root: string): { pid: number; host: string; dataDir: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(root, 'owner.json'), 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
