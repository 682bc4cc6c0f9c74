import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { freshSqliteFile } from '../../../test/support/sqlite-files.ts'
import { openSqliteTable } from '../../../test/support/sqlite-source.ts'
import type { Position } from '../../kernel/position.ts'

const WRITERS = 2
const WRITING_MS = 3_000

/** Inserts and updates in transactions that stay open for a while, some rolled back; stamps by the database in ms. */
const WRITER = `
const [file, seed, ms] = process.argv.slice(1)
const db = new (require('better-sqlite3'))(file, { timeout: 10000 })
db.pragma('synchronous = OFF')
let state = Number(seed)
const random = (n) => (state = (state * 1103515245 + 12345) % 2147483648) % n
const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
const end = performance.now() + Number(ms)
while (performance.now() < end) {
  db.exec(random(2) ? 'BEGIN' : 'BEGIN IMMEDIATE')
  for (let i = random(4); i >= 0; i--) {
    db.prepare('INSERT INTO t (v) VALUES (?)').run(random(1000))
    if (random(2)) db.prepare('UPDATE t SET v = v + 1 WHERE id % 7 = ?').run(random(7))
    pause(random(12))
  }
  db.exec(random(5) ? 'COMMIT' : 'ROLLBACK')
  pause(random(8))
}
`
const STAMP = "strftime('%Y-%m-%d %H:%M:%f', 'now')"
const SCHEMA = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, at TEXT NOT NULL DEFAULT (${STAMP}));
  CREATE INDEX t_at ON t (at);
  CREATE TRIGGER touch AFTER UPDATE OF v ON t BEGIN UPDATE t SET at = ${STAMP} WHERE id = NEW.id; END;`

test.each(['wal', 'delete'] as const)(
  'writers against fences in journal mode %s: nothing is lost',
  async (journal) => {
    const { path, url, db } = freshSqliteFile(SCHEMA, journal)
    const declared = { column: 'at', encoding: 'iso', grain: 1_000n, stampedBy: 'database' } as const
    const table = await openSqliteTable(url, 't', declared)
    const writers = Array.from({ length: WRITERS }, (_, i) =>
      spawn(process.execPath, ['-e', WRITER, path, String(i + 1), String(WRITING_MS)], { stdio: 'inherit' }),
    )
    const ended = Promise.all(writers.map((writer) => once(writer, 'exit')))
    let writing = true
    void ended.then(() => {
      writing = false
    })
    const landed = new Map<string, readonly (string | null)[]>()
    const levels = new Set<string>()
    let watermark: Position | undefined
    let runs = 0
    for (let lastRun = false; !lastRun; ) {
      lastRun = !writing
      const fence = await table.fence({ busyWaitMs: 500 })
      if (fence.value === undefined) continue
      levels.add(fence.proof)
      const range = { lower: watermark, upper: fence.value }
      const rows = await table.rows({ kind: 'range', range }, { lockTimeoutMs: 10_000 })
      for (const row of rows) landed.set(row[0]!, row)
      watermark = fence.value
      runs++
    }
    expect((await ended).map(([code]) => code)).toEqual(writers.map(() => 0))
    const below = db.prepare('SELECT id, v, at FROM t WHERE at < ? ORDER BY id').raw().all(watermark!.value)
    const lost = (below as unknown[][]).filter(
      (row) => JSON.stringify(row.map(String)) !== JSON.stringify(landed.get(String(row[0]))),
    )
    expect(below.length).toBeGreaterThan(20)
    expect(runs).toBeGreaterThan(3)
    expect([...levels]).toEqual(['proven'])
    expect(lost).toEqual([])
    await table.close()
  },
)
