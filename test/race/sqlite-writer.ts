import Database from 'better-sqlite3'
import { seededRandom } from '../support/random.ts'

// A writer in a process of its own: node scripts/run-ts.mjs test/race/sqlite-writer.ts FILE NUMBER SEED SECONDS
const [file, number, seed, seconds] = process.argv.slice(2) as [string, string, string, string]
const random = seededRandom(Number(seed) * 1000 + Number(number))
const db = new Database(file, { timeout: 20_000 })
const until = performance.now() + Number(seconds) * 1000
const counts = { committed: 0, rolledBack: 0, lateCommits: 0 }
let fresh = 1_000_000 * (Number(number) + 1)

const insert = db.prepare(
  `insert into orders (id, state) values (?, ?) on conflict (id) do update set state = excluded.state`,
)
const update = db.prepare('update orders set state = ? where id = ?')
const remove = db.prepare('delete from orders where id = ?')

while (performance.now() < until) {
  db.exec('begin immediate')
  const statements = 1 + random.below(3)
  for (let i = 0; i < statements; i++) change()
  const late = random.chance(0.05)
  if (late) pause(300 + random.below(1_500))
  if (random.chance(0.12)) {
    db.exec('rollback')
    counts.rolledBack++
  } else {
    db.exec('commit')
    counts.committed++
    if (late) counts.lateCommits++
  }
  pause(20 + random.below(60))
}
db.close()
process.stdout.write(`${JSON.stringify(counts)}\n`)

function change(): void {
  const hot = 1 + random.below(40)
  const kind = random.below(10)
  if (kind < 4) insert.run(fresh++, `w${number}`)
  else if (kind < 7) update.run(`w${number}-${fresh++}`, hot)
  else if (kind < 8) {
    remove.run(hot)
    insert.run(hot, `again-${number}-${fresh++}`)
  } else {
    db.exec('savepoint s')
    insert.run(fresh++, `savepoint-${number}`)
    if (random.chance(0.5)) db.exec('rollback to s')
    db.exec('release s')
    insert.run(fresh++, `after-${number}`)
  }
}

/** Holds the transaction open, as an application does that calls another service inside it. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
