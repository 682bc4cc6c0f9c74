import type { LoadKind, LoadOp, LoadTransaction } from '../../sources/load.ts'
import type { Random } from './random.ts'

/** Of 1,000 transactions (assurance A50). */
const KINDS: Readonly<Record<LoadKind, number>> = {
  ordinary: 838,
  backdated: 20,
  unbumped: 20,
  bulk: 100,
  delete: 20,
  key_change: 2,
}
const HELD = 300
const ROLLED_BACK = 50
const PREPARED = 10
const PER = 1_000

const HOLD_MEAN_MS = 300
/** From three means on, where an exponential law leaves one in twenty, the tail is Pareto's. */
const TAIL_FROM_MS = 3 * HOLD_MEAN_MS
const TAIL_ALPHA = 1.5
/** Every wait has a limit: with 10,000 held transactions one or two reach it. */
const HOLD_MAX_MS = 60_000
const BULK_ROWS = 20
const MOST_DAYS_BACK = 30
/** Rows that every actor changes now and then. */
export const HOT_KEYS = 40
const HOT_SHARE = 0.1
/** New keys of an actor lie apart from everybody else's. */
const KEYS_EACH = 1_000_000_000

export type Drawn = Omit<LoadTransaction, 'actor' | 'n' | 'atMs'>

/** Draws the transactions of one actor. It knows its keys as they would be if nothing failed. */
export function createDraw(random: Random, { actor, actors, rows, mayPrepare }: DrawFrom): () => Drawn {
  const keys: number[] = []
  for (let key = HOT_KEYS + 1 + actor; key <= rows; key += actors) keys.push(key)
  let fresh = KEYS_EACH * (actor + 1)
  const kinds = deck(random, Object.entries(KINDS) as [LoadKind, number][])
  const held = deck(random, [
    [true, HELD],
    [false, PER - HELD],
  ])
  const ends = deck<LoadTransaction['end']>(random, [
    ['rollback', ROLLED_BACK],
    ['prepare', mayPrepare ? PREPARED : 0],
    ['commit', PER - ROLLED_BACK - (mayPrepare ? PREPARED : 0)],
  ])
  const insert = (count: number): LoadOp => {
    const made = Array.from({ length: count }, () => fresh++)
    keys.push(...made)
    return { op: 'insert', keys: made }
  }
  const pick = (count: number): number[] => {
    const found = new Set<number>()
    for (let tries = 0; found.size < count && tries < 3 * count; tries++) found.add(random.pick(keys))
    return [...found].sort((a, b) => a - b)
  }
  const take = (): number => {
    const at = random.between(0, keys.length - 1)
    const [key] = keys.splice(at, 1)
    return key!
  }
  const ops = (kind: LoadKind, isHeld: boolean): readonly LoadOp[] => {
    if (keys.length < 2 * BULK_ROWS) return [insert(kind === 'bulk' ? BULK_ROWS : 1)]
    switch (kind) {
      case 'bulk':
        return [{ op: 'update', keys: pick(BULK_ROWS) }]
      case 'delete':
        return [{ op: 'delete', keys: [take()] }]
      case 'key_change': {
        const from = take()
        const toKey = fresh++
        keys.push(toKey)
        return [{ op: 'move', keys: [from], toKey }]
      }
      case 'unbumped':
        return [{ op: 'update', keys: pick(1) }]
      case 'backdated': {
        const daysBack = random.between(1, MOST_DAYS_BACK)
        return [{ ...(random.fraction() < 0.5 ? insert(1) : { op: 'update', keys: pick(1) }), daysBack }]
      }
      case 'ordinary': {
        if (random.fraction() < 0.45) return [insert(1)]
        const own: LoadOp = { op: 'update', keys: pick(random.between(1, 2)) }
        // Whoever stands with a hot row in its hands stops the others: the load would be one of waits.
        const isHot = !isHeld && random.fraction() < HOT_SHARE && rows >= HOT_KEYS
        return isHot ? [own, { op: 'update', keys: [random.between(1, HOT_KEYS)] }] : [own]
      }
    }
  }
  return () => {
    const [kind, isHeld, end] = [kinds(), held(), ends()]
    return {
      kind,
      ops: ops(kind, isHeld),
      stampOf: kind === 'bulk' || random.fraction() < 0.7 ? 'begin' : 'statement',
      holdMs: isHeld ? holdMs(random) : 0,
      end,
      preparedMs: end === 'prepare' ? holdMs(random) : 0,
    }
  }
}

export interface DrawFrom {
  readonly actor: number
  readonly actors: number
  readonly rows: number
  readonly mayPrepare: boolean
}

/** Exponential with a Pareto tail (assurance A50). */
function holdMs(random: Random): number {
  const ms = -HOLD_MEAN_MS * Math.log(1 - random.fraction())
  if (ms < TAIL_FROM_MS) return Math.round(ms)
  const far = TAIL_FROM_MS / (1 - random.fraction()) ** (1 / TAIL_ALPHA)
  return Math.round(Math.min(far, HOLD_MAX_MS))
}

/** Cards in shuffled order, shuffled anew when all have been drawn: so many of each in every thousand. */
function deck<Card>(random: Random, counts: readonly (readonly [Card, number])[]): () => Card {
  let left: Card[] = []
  return () => {
    if (left.length === 0) left = counts.flatMap(([card, count]) => new Array<Card>(count).fill(card))
    const at = random.between(0, left.length - 1)
    const card = left[at]!
    left[at] = left.at(-1)!
    left.pop()
    return card
  }
}
