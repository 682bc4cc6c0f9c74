import { PlimsollError } from '../../kernel/errors.ts'

/** Thrown where the simulated process dies; nothing of it goes on afterwards. */
export class Crash extends Error {
  override readonly name = 'Crash'
}

/** What befalls one life of the program, each at its n-th instant; undefined: it does not happen. */
export interface Fate {
  readonly crashAt: number | undefined
  /** A source or destination that fails in a way that may pass; at `land.committed` this is a lost reply. */
  readonly failAt: number | undefined
  /** The process stands still while another takes over (spec E63). */
  readonly stallAt: number | undefined
}

export const NO_FATE: Fate = { crashAt: undefined, failAt: undefined, stallAt: undefined }

/** One process of the program, from its start to its end or death. */
export interface Life {
  readonly dead: boolean
  /** The world goes on a little; then, perhaps, this process dies, stalls, or what it called fails. */
  instant(name: string): Promise<void>
}

export interface LifeOptions {
  readonly fate: Fate
  readonly pause: () => void
  readonly stall: () => Promise<void>
  readonly note: (text: string) => void
}

export function createLife({ fate, pause, stall, note }: LifeOptions): Life {
  let count = 0
  let dead = false
  let failed = fate.failAt === undefined
  let stalled = fate.stallAt === undefined
  return {
    get dead() {
      return dead
    },
    async instant(name) {
      if (dead) throw new Crash(name)
      pause()
      count++
      if (count === fate.crashAt) {
        dead = true
        note(`crash at ${name}`)
        throw new Crash(name)
      }
      if (!stalled && count >= fate.stallAt! && !name.startsWith('land.')) {
        stalled = true
        note(`stall at ${name}`)
        await stall()
      }
      if (!failed && count >= fate.failAt! && canFail(name)) {
        failed = true
        note(`failure at ${name}`)
        throw failureOf(name)
      }
    },
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
