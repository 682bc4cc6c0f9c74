import type { Catalog } from '../../catalog/catalog.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { US_PER_DAY } from '../../kernel/calendar.ts'
import { isTimeLike, positionToUs } from '../../kernel/moment.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import { KEPT_DAYS, startOfDay } from '../lateness/store.ts'
import type { Retention } from './facts.ts'
import { slowestInterval } from './past-checks.ts'

const NAME = 'oldest'
const WEEK_SECONDS = 7 * 86_400

interface Seen {
  readonly seenUs: string
  readonly oldestUs: string
}

/**
 * How far back the source reaches, and how the oldest row moved on since it was first looked at: once a day it is
 * remembered, for 35 days (assurance A45). Undefined for counters, which have no time.
 */
export async function watchOldest(
  catalog: Catalog,
  { catalogKey }: StreamSettings,
  order: PositionOrder,
  oldest: Position,
): Promise<Retention | undefined> {
  const oldestUs = isTimeLike(order) ? positionToUs(order, oldest) : undefined
  if (oldestUs === undefined) return undefined
  const nowUs = catalog.nowUs()
  const scope = `review:${catalogKey}`
  const text = await catalog.memory(scope, NAME)
  const before = (text === undefined ? [] : (JSON.parse(text) as readonly Seen[])).filter(
    ({ seenUs }) => BigInt(seenUs) >= nowUs - BigInt(KEPT_DAYS) * US_PER_DAY,
  )
  const isNewDay = before.every(({ seenUs }) => startOfDay(BigInt(seenUs)) !== startOfDay(nowUs))
  if (isNewDay) {
    const now = { seenUs: String(nowUs), oldestUs: String(oldestUs) }
    await catalog.remember(scope, NAME, JSON.stringify([...before, now]))
  }
  const first = before[0] ?? { seenUs: String(nowUs), oldestUs: String(oldestUs) }
  return {
    reachSeconds: Math.max(0, Number(nowUs - oldestUs) / 1e6),
    watchedSeconds: Number(nowUs - BigInt(first.seenUs)) / 1e6,
    movedSeconds: Math.max(0, Number(oldestUs - BigInt(first.oldestUs)) / 1e6),
    neededSeconds: 2 * (await slowestInterval(catalog, catalogKey)) + WEEK_SECONDS,
  }
}
