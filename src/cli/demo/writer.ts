import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { createRandom, type Random } from '../../assure/rehearse/random.ts'
import { PRODUCT_COUNT } from './shop.ts'

/** What one process does to the shop until the day is over. */
export interface WriterTask {
  readonly file: string
  /** Its orders and items have ids of their own: number × 1,000,000 and up. */
  readonly number: number
  readonly seed: number
  /** `checkout`: many short transactions. `marketplace`: imports that stay open for `holdMs` before they commit. */
  readonly role: 'checkout' | 'marketplace'
  readonly holdMs: number
  readonly untilMs: number
}

export interface WriterCounts {
  readonly transactions: number
  readonly rolledBack: number
  /** Committed `holdMs` or more after their first stamp. */
  readonly committedLate: number
}

const IDS_EACH = 1_000_000
const STATUSES = ['pending', 'paid', 'packed', 'shipped', 'delivered'] as const
const ROLLBACK_SHARE = 0.06
/** The bestsellers: most orders buy one of these, so their stock changes many times a second. */
const HOT_PRODUCTS = 4
/** Orders are paid and packed soon after they were placed. */
const RECENT_ORDERS = 20
/** SQLite lets one writer in at a time; the others wait, longer than any import takes. */
const BUSY_TIMEOUT_MS = 20_000

/** Writes until the time is over. The sequence of writes follows from the seed; their moments are real. */
async function write(task: WriterTask): Promise<WriterCounts> {
  const db = new Database(task.file, { timeout: BUSY_TIMEOUT_MS })
  db.pragma('synchronous = OFF')
  const shop = createStatements(db, task, createRandom(task.seed * 31 + task.number))
  try {
    return await (task.role === 'checkout' ? checkOut(shop, task) : importOrders(shop, task))
  } finally {
    db.close()
  }
}

async function checkOut(shop: Shop, task: WriterTask): Promise<WriterCounts> {
  let [transactions, rolledBack] = [0, 0]
  while (Date.now() < task.untilMs) {
    const gaveUp = shop.random.fraction() < ROLLBACK_SHARE
    shop.begin()
    if (gaveUp || shop.random.fraction() < 0.5) shop.placeOrder()
    else shop.advanceOrder()
    shop.end(gaveUp ? 'ROLLBACK' : 'COMMIT')
    if (gaveUp) rolledBack++
    transactions++
    await sleep(shop.random.between(5, 45))
  }
  return { transactions, rolledBack, committedLate: 0 }
}

/** Stamps rows, waits for somebody else's system, and commits: readers see them `holdMs` later. At least once. */
async function importOrders(shop: Shop, task: WriterTask): Promise<WriterCounts> {
  let [transactions, committedLate] = [0, 0]
  do {
    await sleep(shop.random.between(400, 900))
    shop.begin()
    const startedMs = Date.now()
    for (let count = shop.random.between(3, 8); count > 0; count--) shop.placeOrder()
    shop.advanceOrder()
    await sleep(task.holdMs)
    shop.advanceOrder()
    shop.end('COMMIT')
    transactions++
    if (Date.now() - startedMs >= task.holdMs) committedLate++
    await sleep(shop.random.between(2_000, 3_500))
  } while (Date.now() + task.holdMs < task.untilMs)
  return { transactions, rolledBack: 0, committedLate }
}

interface Shop {
  readonly random: Random
  begin(): void
  placeOrder(): void
  /** Takes one of this writer's orders to its next status. */
  advanceOrder(): void
  end(how: 'COMMIT' | 'ROLLBACK'): void
}

function createStatements(db: Database.Database, task: WriterTask, random: Random): Shop {
  const insertOrder = db.prepare(
    "INSERT INTO orders (id, customer, status, total_cents) VALUES (?, ?, 'pending', ?)",
  )
  const insertItem = db.prepare(
    'INSERT INTO order_items (id, order_id, product_id, quantity) VALUES (?, ?, ?, ?)',
  )
  const takeStock = db.prepare('UPDATE products SET stock = stock - ? WHERE id = ?')
  const setStatus = db.prepare('UPDATE orders SET status = ? WHERE id = ?')
  let [nextOrder, nextItem] = [task.number * IDS_EACH, task.number * IDS_EACH]
  let statuses = new Map<number, number>()
  let before = { nextOrder, nextItem, statuses }
  return {
    random,
    begin() {
      db.exec('BEGIN IMMEDIATE')
      before = { nextOrder, nextItem, statuses: new Map(statuses) }
    },
    placeOrder() {
      const order = nextOrder++
      insertOrder.run(order, `customer ${random.between(1, 90)}`, random.between(500, 40_000))
      for (let count = random.between(1, 3); count > 0; count--) {
        const product = random.between(1, random.fraction() < 0.7 ? HOT_PRODUCTS : PRODUCT_COUNT)
        const quantity = random.between(1, 3)
        insertItem.run(nextItem++, order, product, quantity)
        takeStock.run(quantity, product)
      }
      statuses.set(order, 0)
    },
    advanceOrder() {
      if (statuses.size === 0) return this.placeOrder()
      const [order, status] = random.pick([...statuses].slice(-RECENT_ORDERS))
      setStatus.run(STATUSES[status + 1], order)
      if (status + 2 === STATUSES.length) statuses.delete(order)
      else statuses.set(order, status + 1)
    },
    end(how) {
      db.exec(how)
      if (how === 'ROLLBACK') ({ nextOrder, nextItem, statuses } = before)
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Without the program there is nobody to write for.
  process.once('disconnect', () => process.exit(1))
  const counts = await write(JSON.parse(process.argv[2]!) as WriterTask)
  process.send?.(counts, () => process.exit(0))
}
