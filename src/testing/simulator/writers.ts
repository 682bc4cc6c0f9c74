import { floorTo } from '../../kernel/arithmetic.ts'
import type { ModelDatabase, ModelTransaction } from './model-database.ts'
import type { ModelPosition } from './model-row.ts'
import type { Random } from './random.ts'
import type { Schedule } from './schedule.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Beyond every tolerance: such a row is in the lane `future` for the whole schedule. */
const FAR_FUTURE_US = 86_400_000_000n
const MAX_WRITES = 3

/** Sessions that write, one small step at a time. */
export interface Writers {
  /** One step of one session, drawn by chance; only time goes by when the schedule's steps are used up. */
  step(): void
  /** Commits or rolls back everything that is open or prepared. */
  finish(): void
  readonly stepCount: number
}

export function createWriters(
  schedule: Schedule,
  database: ModelDatabase,
  clock: VirtualClock,
  random: Random,
  note: (text: string) => void,
): Writers {
  const sessions: (ModelTransaction | undefined)[] = new Array(schedule.sessionCount).fill(undefined)
  const { keyCount, grainUs, maxSteps } = schedule
  let versionCount = 0
  let stepCount = 0

  function stamp(transaction: ModelTransaction): ModelPosition {
    const xid = database.touch(transaction)
    if (schedule.method === 'P3') return xid
    if (schedule.lanes && random.chance(0.15)) {
      return random.pick<ModelPosition>([null, 'infinity', clock.sourceUs() + FAR_FUTURE_US])
    }
    const atBegin = schedule.stamp === 'begin' || (schedule.stamp === 'mixed' && random.chance(0.5))
    return floorTo(atBegin ? transaction.startUs : clock.sourceUs(), grainUs)
  }

  function write(transaction: ModelTransaction): void {
    // Hot keys: the low ones are drawn more often.
    const key = Math.min(random.below(keyCount), random.below(keyCount + 1))
    const own = transaction.writes.get(key)
    if (!own && database.isLocked(key)) return
    if ((own ?? database.committed.get(key)) && random.chance(0.1)) {
      database.remove(transaction, key)
      return
    }
    const content = schedule.sameContents ? random.pick(['A', 'B']) : `v${++versionCount}`
    database.write(transaction, key, stamp(transaction), content)
    note(`write ${transaction.virtualId} ${key} ${transaction.writes.get(key)?.position} ${content}`)
  }

  function end(transaction: ModelTransaction): void {
    const commits = random.chance(0.8)
    note(`${commits ? 'commit' : 'rollback'} ${transaction.virtualId} ${transaction.preparedKey ?? ''}`)
    if (commits) database.commit(transaction)
    else database.rollback(transaction)
  }

  function stepOf(session: number): void {
    const transaction = sessions[session]
    if (!transaction) {
      sessions[session] = database.begin(session, BigInt(random.below(schedule.publishDelayUs + 1)))
      note(`begin ${sessions[session]!.virtualId} ${sessions[session]!.startUs}`)
      return
    }
    if (transaction.writes.size < MAX_WRITES && random.chance(0.55)) {
      write(transaction)
      return
    }
    if (random.chance(schedule.idleChance)) return
    sessions[session] = undefined
    if (schedule.twoPhase && transaction.writes.size > 0 && random.chance(0.5)) {
      database.prepare(transaction)
      note(`prepare ${transaction.virtualId} ${transaction.preparedKey}`)
    } else end(transaction)
  }

  return {
    get stepCount() {
      return stepCount
    },
    step() {
      clock.advance(BigInt(1 + random.below(schedule.paceUs)))
      if (stepCount >= maxSteps) return
      stepCount++
      const [prepared] = database.prepared
      if (prepared && random.chance(0.25)) end(prepared)
      else stepOf(random.below(sessions.length))
    },
    finish() {
      for (const transaction of [...database.open, ...database.prepared]) {
        clock.advance(BigInt(1 + random.below(schedule.paceUs)))
        end(transaction)
      }
      sessions.fill(undefined)
    },
  }
}
