import { describe, expect, test } from 'vitest'
import { clockStepUs } from './clock-watch.ts'
import {
  type Blocker,
  forgetPaid,
  type HoldMemory,
  NO_DECREES,
  settledDecrees,
  weighBlockers,
} from './holding.ts'
import { lockBound, observeLocks } from './lock-view.ts'
import { judgeProof } from './proof-level.ts'
import { observeSessions, sessionBound } from './session-view.ts'
import { holdMemoryFromJson, holdMemoryToJson } from './view-json.ts'

describe('prepared transactions', () => {
  test('P1 E26: without an earlier look the fence is held, also later, until it is gone', () => {
    const look = { t0: 10n, starts: [], prepared: ['x'], steppedBackUs: 0n }
    const first = observeSessions(undefined, look)
    expect(sessionBound(first)).toBeUndefined()
    const second = observeSessions(first, { ...look, t0: 20n })
    expect(sessionBound(second)).toBeUndefined()
    expect(sessionBound(observeSessions(second, { ...look, t0: 30n, prepared: [] }))).toBe(30n)
  })

  test('P1 E26: bounded by the raw value of the look before, and for good', () => {
    const first = observeSessions(undefined, { t0: 10n, starts: [7n], prepared: [], steppedBackUs: 0n })
    const second = observeSessions(first, { t0: 20n, starts: [], prepared: ['x'], steppedBackUs: 0n })
    expect(sessionBound(second)).toBe(7n)
    const third = observeSessions(second, { t0: 30n, starts: [25n], prepared: ['x'], steppedBackUs: 0n })
    expect(sessionBound(third)).toBe(7n)
  })

  test('P2 E27: lowered by a key that vanishes a look later', () => {
    const looks = [
      { open: [], prepared: [] },
      { open: ['old'], prepared: [] },
      { open: ['old'], prepared: ['x'] },
      { open: [], prepared: ['x'] },
    ]
    let view: ReturnType<typeof observeLocks> | undefined
    const bounds = looks.map((lists, i) => {
      view = observeLocks(view, { clock: BigInt(10 * (i + 1)), ...lists, steppedBack: 0n })
      return view.prepared.get('x')
    })
    expect(bounds).toEqual([undefined, undefined, 20n, 10n])
    expect(lockBound(view!)).toBe(10n)
  })
})

describe('E23 clock steps', () => {
  const reading = (t0: number, before: number, after = before) => ({
    t0: BigInt(t0),
    monotonic: { beforeUs: BigInt(before), afterUs: BigInt(after) },
  })

  test('within the guard, and forwards, is none', () => {
    expect(clockStepUs(reading(1000, 0), reading(1900, 1000), 100n)).toBe(0n)
    expect(clockStepUs(reading(1000, 0), reading(9000, 1000), 100n)).toBe(0n)
    expect(clockStepUs(undefined, reading(0, 0), 0n)).toBe(0n)
  })

  test('a slow answer is no step; a step is not made too small by one', () => {
    expect(clockStepUs(reading(1000, 0), reading(1000, 0, 5000), 100n)).toBe(0n)
    expect(clockStepUs(reading(9000, 0, 10), reading(5000, 1000, 1030), 100n)).toBe(5030n)
  })

  test('lowers what an earlier look had given: the step may have come before that look had its lists', () => {
    const first = observeLocks(undefined, { clock: 100n, open: [], prepared: [], steppedBack: 0n })
    const second = observeLocks(first, { clock: 110n, open: ['new'], prepared: ['x'], steppedBack: 0n })
    expect(lockBound(second)).toBe(100n)
    const third = observeLocks(second, { clock: 70n, open: ['new'], prepared: ['x'], steppedBack: 50n })
    expect([...third.open.values(), ...third.prepared.values()]).toEqual([50n, 50n])
    const gone = observeLocks(second, { clock: 70n, open: [], prepared: ['y'], steppedBack: 50n })
    expect(gone.prepared.get('y')).toBe(50n)

    const one = observeSessions(undefined, { t0: 100n, starts: [], prepared: [], steppedBackUs: 0n })
    const two = observeSessions(one, { t0: 110n, starts: [], prepared: ['x'], steppedBackUs: 0n })
    const three = observeSessions(two, { t0: 70n, starts: [], prepared: ['x'], steppedBackUs: 50n })
    expect(sessionBound(three)).toBe(50n)
  })

  test('between processes only a clock below the stored one shows', () => {
    expect(clockStepUs({ t0: 9000n }, reading(5000, 1), 100n)).toBe(4000n)
    expect(clockStepUs({ t0: 4000n }, reading(5000, 1_000_000), 100n)).toBe(0n)
  })
})

describe('E38 decrees', () => {
  const a: Blocker = { key: 'a', bound: 100n, sinceUs: 100n }
  const b: Blocker = { key: 'b', bound: 200n, sinceUs: 200n }
  const ask = (nowUs: bigint, blockers: Blocker[], memory: HoldMemory, outstanding: string[] = []) =>
    weighBlockers({ nowUs, ceiling: nowUs, blockers, holdMaxUs: 500n, outstanding, memory })

  test('one alone is passed over, and the next counts from the decree', () => {
    expect(ask(599n, [a, b], NO_DECREES)).toMatchObject({ value: 100n, binding: a, passedOver: [] })
    const first = ask(800n, [b, a], NO_DECREES)
    expect(first).toMatchObject({ value: 200n, binding: b, passedOver: [a] })
    expect(first.memory.decreedUs).toBe(800n)
    const held = ask(1299n, [a, b], first.memory, ['a'])
    expect(held).toMatchObject({ value: 200n, binding: b, passedOver: [a] })
    const second = ask(1300n, [a, b], held.memory, ['a'])
    expect(second.value).toBe(1300n)
    expect(second.passedOver.map(({ key }) => key).sort()).toEqual(['a', 'b'])
  })

  test('a decree that was given and never recorded is given again at once', () => {
    const given = ask(600n, [a], NO_DECREES)
    const again = ask(610n, [a, b], holdMemoryFromJson(holdMemoryToJson(given.memory)))
    expect(again).toMatchObject({ value: 200n, passedOver: [a] })
  })

  test('never, an unknown bound, and one that holds nothing', () => {
    const never = { nowUs: 9999n, ceiling: 9999n, outstanding: [], memory: NO_DECREES }
    expect(weighBlockers({ ...never, blockers: [a], holdMaxUs: undefined }).passedOver).toEqual([])
    const unknown: Blocker = { key: 'u', bound: undefined, sinceUs: undefined }
    expect(ask(9999n, [a, unknown], NO_DECREES)).toMatchObject({ value: undefined, binding: unknown })
    const idle = weighBlockers({ ...never, ceiling: 5n, blockers: [{ ...a, bound: 5n }], holdMaxUs: 1n })
    expect(idle).toMatchObject({ value: 5n, binding: undefined, passedOver: [] })
  })

  test('E39: a debt is due when its blocker is gone and cannot be a prepared transaction', () => {
    const memory: HoldMemory = { decreedUs: 0n, passedOver: new Map([['a', 100n]]) }
    const ask = (isThere: boolean, prepared: (bigint | undefined)[], mayBeRenamed = true, known = memory) =>
      settledDecrees({
        outstanding: ['a'],
        isThere: () => isThere,
        mayBeRenamed: () => mayBeRenamed,
        prepared,
        memory: known,
      })
    expect(ask(true, [])).toEqual([])
    expect(ask(false, [])).toEqual(['a'])
    expect(ask(false, [101n])).toEqual(['a'])
    expect(ask(false, [100n])).toEqual([])
    expect(ask(false, [undefined])).toEqual([])
    expect(ask(false, [undefined], false)).toEqual(['a'])
    expect(ask(false, [101n], true, NO_DECREES)).toEqual([])
    expect(forgetPaid(memory, new Set()).passedOver.size).toBe(0)
  })
})

describe('E19, E20 proof levels', () => {
  const sure = { method: 'P1', stampedBy: 'database', latenessMeasured: false } as const
  test.each([
    ['proven', sure],
    ['assumed', { ...sure, stampedBy: 'unknown' as const }],
    ['measured', { ...sure, stampedBy: 'unknown' as const, latenessMeasured: true }],
    ['measured', { ...sure, stampedBy: 'application' as const, latenessMeasured: true }],
    ['measured', { ...sure, subscribed: true, latenessMeasured: true }],
    ['assumed', { ...sure, decreeCount: 1 }],
    ['assumed', { ...sure, rolesThatMattered: ['report'], latenessMeasured: true }],
    ['assumed', { ...sure, method: 'settle' as const }],
    ['measured', { ...sure, method: 'settle' as const, latenessMeasured: true }],
    ['proven', { ...sure, method: 'P3' as const, stampedBy: 'unknown' as const }],
    ['assumed', { ...sure, method: 'P3' as const, triggerFlaw: 'no trigger' }],
    ['proven', { ...sure, method: 'N1' as const, sequenceCache: 1n }],
    ['measured', { ...sure, method: 'N1' as const, sequenceCache: 20n, latenessMeasured: true }],
  ])('%s: %o', (level, facts) => {
    const { proof, reason } = judgeProof(facts)
    expect(proof).toBe(level)
    expect(reason).not.toBe('')
  })
})
