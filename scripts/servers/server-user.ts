import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'

/** Whom a server runs as. `undefined` fields mean: whoever runs the tests. */
export interface ServerUser {
  uid?: number
  gid?: number
}

let known: ServerUser | undefined

/** PostgreSQL refuses to run as root, so as root its servers get a user of their own. */
export function serverUser(): ServerUser {
  known ??= process.getuid?.() === 0 ? unprivilegedUser() : {}
  return known
}

/** A folder for temporary files that the server's user can reach, short enough for a socket's path. */
export function serverTmpdir(): string {
  const candidates = [tmpdir(), '/tmp', '/var/tmp']
  return candidates.find((folder) => folder.length < 70 && canReach(folder)) ?? tmpdir()
}

/** Whether the server's user can walk to a path and read it. */
export function canReach(path: string): boolean {
  if (serverUser().uid === undefined) return true
  for (let folder = path; ; folder = dirname(folder)) {
    const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0
    if ((mode & 0o1) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

function unprivilegedUser(): ServerUser {
  const found =
    lookUp('postgres') ?? (createPostgresUser() ? lookUp('postgres') : undefined) ?? lookUp('nobody')
  if (!found) throw new Error('PostgreSQL cannot run as root, and no user "postgres" or "nobody" exists')
  return found
}

function createPostgresUser(): boolean {
  const attempts = [
    ['useradd', '--system', '--user-group', '--no-create-home', 'postgres'],
    ['adduser', '-S', '-D', '-H', 'postgres'],
  ]
  return attempts.some(([command, ...args]) => spawnSync(command!, args, { stdio: 'ignore' }).status === 0)
}

function lookUp(name: string): { uid: number; gid: number } | undefined {
  try {
    const number = (flag: string) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
    return { uid: number('-u'), gid: number('-g') }
  } catch {
    return undefined
  }
}
