import { PlimsollError } from '../../kernel/errors.ts'

/** Thrown where the simulated process dies; nothing of it goes on afterwards. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/** What befalls one life of the program, each at its n-th instant; undefined: it does not happen. */
export interface Fate {
  readonly crashAt: number | undefined
  /** Or at the first instant of this name. */
  readonly crashOn: string | undefined
  /** A source or destination fails in a way that may pass; at `land.committed` this is a lost reply. */
  readonly failAt: readonly number[]
  /** The process stands still while another takes over (spec E63). */
  readonly stallAt: number | undefined
}

export const NO_FATE: Fate = { crashAt: undefined, crashOn: undefined, failAt: [], stallAt: undefined }

/** One process of the program, from its start to its end or death. */
export interface Life {
  /** The instant at which the process died. */
  readonly diedAt: string | undefined
  /** The world goes on a little; then, perhaps, this process dies, stalls, or what it called fails. */
  instant(name: string): Promise<void>
  /** Whether what is being read breaks off now; not an instant of its own. */
  breaksOff(): boolean
}

export interface LifeOptions {
  readonly fate: Fate
  readonly pause: () => void
  readonly stall: () => Promise<void>
  readonly note: (text: string) => void
}

export function createLife({ fate, pause, stall, note }: LifeOptions): Life {
  let count = 0
  let diedAt: string | undefined
  let stalled = fate.stallAt === undefined
  const failures = [...fate.failAt].sort((a, b) => a - b)
  const failsNow = (name: string): boolean => {
    if (failures.length === 0 || count < failures[0]!) return false
    failures.shift()
    note(`failure at ${name}`)
    return true
  }
  return {
    get diedAt() {
      return diedAt
    },
    async instant(name) {
      if (diedAt !== undefined) throw new Crash(name)
      pause()
      count++
      if (count === fate.crashAt || name === fate.crashOn) {
        diedAt = name
        note(`crash at ${name}`)
        throw new Crash(name)
      }
      if (!stalled && count >= fate.stallAt! && !name.startsWith('land.')) {
        stalled = true
        note(`stall at ${name}`)
        await stall()
      }
      if (canFail(name) && failsNow(name)) throw failureOf(name)
    },
    breaksOff: () => failsNow('source stream'),
  }
}

/** Outside a transaction's commit a failure changes nothing; there it decides whether the reply or the work is lost. */
const canFail = (name: string): boolean => /^(source|destination|land)\./.test(name)

function failureOf(name: string): PlimsollError {
  const code = name.startsWith('source.') ? 'SOURCE_UNAVAILABLE' : 'DESTINATION_UNAVAILABLE'
  return new PlimsollError(code, `simulated failure at ${name}`)
}

/** The same object, each of its asynchronous methods an instant of a life. */
export function controlled<T extends object>(target: T, room: string, life: Life): T {
  const wrapped: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(target)) {
    if (typeof member !== 'function' || name === 'nowUs') {
      wrapped[name] = member
      continue
    }
    const instant = `${room}.${name}`
    wrapped[name] = async (...args: unknown[]) => {
      await life.instant(instant)
      return member(...args)
    }
  }
  return wrapped as T
}
