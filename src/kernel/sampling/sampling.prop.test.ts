import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type LockView, lockBound, observeLocks } from './lock-view.ts'
import { observeSessions, type SessionView, sessionBound } from './session-view.ts'
import { lockViewFromJson, lockViewToJson, sessionViewFromJson, sessionViewToJson } from './view-json.ts'

/** Bounds must hold up against lists that are not read at one instant, and starts that are published late. */
const GUARD = 3
const SPAN = 150
const LIST_TIME = 25

/** One transaction of a random history. Times are whole ticks. */
interface Life {
  readonly start: number
  /** Ticks until the lists show it; less than the guard. */
  readonly publishedAfter: number
  readonly draws: number
  readonly prepare: number | undefined
  readonly end: number
  /** Ticks that the old entry stays listed after PREPARE, COMMIT or ROLLBACK has taken effect. */
  readonly lingers: number
  readonly commits: boolean
}

/** When one look reads the clock, and (relative to that) each entry of the open list, and the prepared list. */
interface Look {
  readonly at: number
  readonly openReadAfter: readonly number[]
  readonly preparedReadAfter: number
}

const life = fc
  .record({
    start: fc.nat(SPAN),
    publishedAfter: fc.nat(GUARD),
    drawsAfter: fc.nat(30),
    preparesAfter: fc.option(fc.nat(40), { nil: undefined }),
    endsAfter: fc.nat(60),
    lingers: fc.nat(8),
    commits: fc.boolean(),
  })
  .map(({ start, publishedAfter, drawsAfter, preparesAfter, endsAfter, lingers, commits }): Life => {
    const draws = start + publishedAfter + drawsAfter
    const prepare = preparesAfter === undefined ? undefined : draws + preparesAfter
    return { start, publishedAfter, draws, prepare, end: (prepare ?? draws) + endsAfter, lingers, commits }
  })

const lives = fc.array(life, { minLength: 1, maxLength: 12 })
const looks = fc
  .array(
    fc.record({
      pause: fc.integer({ min: 0, max: 40 }),
      openReadAfter: fc.array(fc.nat(LIST_TIME), { minLength: 12, maxLength: 12 }),
      preparedReadAfter: fc.integer({ min: LIST_TIME, max: 2 * LIST_TIME }),
    }),
    { minLength: 2, maxLength: 12 },
  )
  .map((steps) => {
    let now = 0
    return steps.map(({ pause, openReadAfter, preparedReadAfter }): Look => {
      const at = now + pause
      now = at + preparedReadAfter
      return { at, openReadAfter, preparedReadAfter }
    })
  })

const isOpenAt = (one: Life, time: number): boolean =>
  time >= one.start + one.publishedAfter && time < (one.prepare ?? one.end) + one.lingers
const isPreparedAt = (one: Life, time: number): boolean =>
  one.prepare !== undefined && time >= one.prepare && time < one.end

/** Indices of the transactions that each list of a look shows. */
function listed(history: readonly Life[], look: Look): { open: number[]; prepared: number[] } {
  const all = history.map((_, i) => i)
  return {
    open: all.filter((i) => isOpenAt(history[i]!, look.at + look.openReadAfter[i]!)),
    prepared: all.filter((i) => isPreparedAt(history[i]!, look.at + look.preparedReadAfter)),
  }
}

/** The transactions whose rows a snapshot taken right after the look does not contain, and a later one does. */
function stillToCome(history: readonly Life[], look: Look): Life[] {
  return history.filter(({ commits, end }) => commits && end > look.at + look.preparedReadAfter)
}

describe('no fence exceeds the stamp of a transaction that commits later', () => {
  test('P1: sessions with their starts, prepared transactions by the look before (E24, E26)', () => {
    fc.assert(
      fc.property(lives, looks, (history, series) => {
        let view: SessionView | undefined
        for (const look of series) {
          const { open, prepared } = listed(history, look)
          view = observeSessions(view && sessionViewFromJson(sessionViewToJson(view)), {
            t0: BigInt(look.at),
            starts: open.map((i) => BigInt(history[i]!.start)),
            prepared: prepared.map(String),
            steppedBackUs: 0n,
          })
          const bound = sessionBound(view)
          if (bound === undefined) continue
          for (const one of stillToCome(history, look)) {
            expect(BigInt(one.start)).toBeGreaterThanOrEqual(bound - BigInt(GUARD))
          }
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('P2: locks without starts (E27)', () => {
    fc.assert(
      fc.property(lives, looks, (history, series) => {
        let view: LockView | undefined
        for (const look of series) {
          const { open, prepared } = listed(history, look)
          view = observeLocks(view && lockViewFromJson(lockViewToJson(view)), {
            clock: BigInt(look.at),
            open: open.map(String),
            prepared: prepared.map(String),
            steppedBack: 0n,
          })
          const bound = lockBound(view)
          if (bound === undefined) continue
          for (const one of stillToCome(history, look)) {
            expect(BigInt(one.start)).toBeGreaterThanOrEqual(bound - BigInt(GUARD))
          }
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('N1: the counter in place of the clock (E35)', () => {
    fc.assert(
      fc.property(lives, looks, (history, series) => {
        const order = history.map((_, i) => i).sort((a, b) => history[a]!.draws - history[b]!.draws)
        const numberOf = (one: Life): bigint => BigInt(order.indexOf(history.indexOf(one)) + 1)
        let view: LockView | undefined
        for (const look of series) {
          const { open, prepared } = listed(history, look)
          view = observeLocks(view, {
            clock: BigInt(history.filter(({ draws }) => draws <= look.at).length),
            open: open.map(String),
            prepared: prepared.map(String),
            steppedBack: 0n,
          })
          const bound = lockBound(view)
          if (bound === undefined) continue
          for (const one of stillToCome(history, look)) {
            expect(numberOf(one)).toBeGreaterThanOrEqual(bound + 1n)
          }
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('a clock that steps back lowers what is inferred from the look before (E23)', () => {
    fc.assert(
      fc.property(lives, looks, fc.nat(SPAN), fc.nat(20), (history, series, when, step) => {
        const shown = (time: number): number => (time >= when ? time - step : time)
        let locks: LockView | undefined
        let sessions: SessionView | undefined
        let previousAt = 0
        for (const look of series) {
          const { open, prepared } = listed(history, look)
          const steppedBack = previousAt < when && look.at >= when ? BigInt(step) : 0n
          previousAt = look.at
          const clock = BigInt(shown(look.at))
          const starts = open.map((i) => BigInt(shown(history[i]!.start)))
          const names = { open: open.map(String), prepared: prepared.map(String) }
          locks = observeLocks(locks, { clock, ...names, steppedBack })
          sessions = observeSessions(sessions, {
            t0: clock,
            starts,
            prepared: names.prepared,
            steppedBackUs: steppedBack,
          })
          // A step while a look is going on is seen by the next look: until then no promise is made.
          const duringLook = when > look.at && when <= look.at + look.preparedReadAfter
          if (duringLook) continue
          for (const bound of [lockBound(locks), sessionBound(sessions)]) {
            if (bound === undefined) continue
            for (const one of stillToCome(history, look)) {
              // Stamps of transactions that begin after the look may be lower when the step is still to come.
              if (one.start >= when && look.at < when) continue
              expect(BigInt(shown(one.start))).toBeGreaterThanOrEqual(bound - BigInt(GUARD))
            }
          }
        }
      }),
      { numRuns: 3000 },
    )
  })
})

test('bounds catch up: when all is quiet for two looks, nothing is held', () => {
  fc.assert(
    fc.property(lives, looks, (history, series) => {
      const end = Math.max(...history.map(({ end, lingers }) => end + lingers), series.at(-1)!.at) + 50
      const quiet = [end, end + 50].map(
        (at): Look => ({ at, openReadAfter: series[0]!.openReadAfter, preparedReadAfter: LIST_TIME }),
      )
      let locks: LockView | undefined
      let sessions: SessionView | undefined
      for (const look of [...series, ...quiet]) {
        const { open, prepared } = listed(history, look)
        const clock = BigInt(look.at)
        const names = { open: open.map(String), prepared: prepared.map(String) }
        locks = observeLocks(locks, { clock, ...names, steppedBack: 0n })
        const starts = open.map((i) => BigInt(history[i]!.start))
        sessions = observeSessions(sessions, {
          t0: clock,
          starts,
          prepared: names.prepared,
          steppedBackUs: 0n,
        })
      }
      expect(lockBound(locks!)).toBe(BigInt(end + 50))
      expect(sessionBound(sessions!)).toBe(BigInt(end + 50))
    }),
  )
})
