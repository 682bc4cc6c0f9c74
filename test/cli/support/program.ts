import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll } from 'vitest'

/** The built program; PLIMSOLL_PROGRAM names another build. */
const PROGRAM =
  process.env.PLIMSOLL_PROGRAM ?? fileURLToPath(new URL('../../../bin/plimsoll.cjs', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** The one object of `--json`. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly json: any
}

export interface Running {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** Settles when stderr or stdout holds the text. */
  seen(text: string): Promise<void>
}

type Environment = Readonly<Record<string, string>>

const SEEN_WITHIN_MS = 30_000

/** A folder of its own with a way to run the program in it; removed after the test file. */
export interface Workspace {
  readonly folder: string
  path(name: string): string
  start(args: readonly string[], environment?: Environment): Running
  run(...args: string[]): Promise<Finished>
  runWith(environment: Environment, ...args: string[]): Promise<Finished>
}

const folders: string[] = []

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

export function workspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'))
  folders.push(folder)
  const start = (args: readonly string[], environment: Environment = {}) => startIn(folder, args, environment)
  return {
    folder,
    path: (name) => join(folder, name),
    start,
    run: (...args) => start(args).finished,
    runWith: (environment, ...args) => start(args, environment).finished,
  }
}

function startIn(cwd: string, args: readonly string[], environment: Environment): Running {
  const env = { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), CI: 'true', ...environment }
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr, json: args.includes('--json') ? oneObject(stdout) : undefined })
    })
  })
  const seen = async (text: string): Promise<void> => {
    const until = performance.now() + SEEN_WITHIN_MS
    while (!(stdout + stderr).includes(text)) {
      if (performance.now() > until || child.exitCode !== null)
        throw new Error(`never saw ${text} in:\n${stdout}${stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  return { child, finished, seen }
}

/** `--json` promises exactly one object, on one line. */
function oneObject(stdout: string): unknown {
  const lines = stdout.trim().split('\n')
  if (lines.length !== 1) throw new Error(`expected one line of JSON, found ${lines.length}:\n${stdout}`)
  return JSON.parse(lines[0]!)
}

/**
 * A shop in SQLite: `orders` can be copied, `nokey` and `floats` cannot. The orders were stamped an hour ago, at different
 * milliseconds: from twenty of them on, the grain of the column shows.
 */
export function createShop(file: string, orderCount: number): void {
  change(file, (db) => {
    db.exec(`
      CREATE TABLE orders (order_id INTEGER PRIMARY KEY, total TEXT,
        updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')));
      CREATE INDEX orders_by_time ON orders (updated_at);
      CREATE TABLE nokey (a TEXT, updated_at TEXT);
      CREATE TABLE floats (id INTEGER PRIMARY KEY, x REAL);`)
    const insert = db.prepare(`INSERT INTO orders (total, updated_at)
      VALUES ('12.30', strftime('%Y-%m-%d %H:%M:%f', 'now', '-1 hour', ?))`)
    const stepSeconds = Math.min(1.013, 3000 / orderCount)
    for (let i = 0; i < orderCount; i++) insert.run(`+${(i * stepSeconds).toFixed(3)} seconds`)
  })
}

/** Orders stamped now, by the database. */
export function addOrders(file: string, orderCount: number): void {
  change(file, (db) => {
    const insert = db.prepare("INSERT INTO orders (total) VALUES ('12.30')")
    for (let i = 0; i < orderCount; i++) insert.run()
  })
}

export function change(file: string, work: (db: Database.Database) => void): void {
  const db = new Database(file)
  try {
    db.transaction(work)(db)
  } finally {
    db.close()
  }
}
