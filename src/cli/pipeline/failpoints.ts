import { PlimsollError } from '../../kernel/errors.ts'
import { FAILPOINTS, type Failpoint, type ReachFailpoint } from '../../kernel/failpoint.ts'

/**
 * For the crash suite (spec E74): `PLIMSOLL_FAILPOINT=name` or `name:3` ends this process with SIGKILL when the name is
 * reached for the third time, `name@40` when it is reached first after 40 s (assurance A50); `PLIMSOLL_FAILPOINT_THROW` throws instead, once, and `PLIMSOLL_FAILPOINT_STOP` stands still
 * there (SIGSTOP), until SIGCONT. Without them nothing is reached.
 */
export function failpointsFrom(environment: Readonly<Record<string, string | undefined>>): ReachFailpoint {
  const kill = parse(environment.PLIMSOLL_FAILPOINT)
  const fail = parse(environment.PLIMSOLL_FAILPOINT_THROW)
  const stop = parse(environment.PLIMSOLL_FAILPOINT_STOP)
  const reached = new Map<string, number>()
  return (name) => {
    const count = (reached.get(name) ?? 0) + 1
    reached.set(name, count)
    if (kill?.name === name && isNow(kill, count)) {
      process.kill(process.pid, 'SIGKILL')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    }
    if (stop?.name === name && isNow(stop, count)) process.kill(process.pid, 'SIGSTOP')
    if (fail?.name === name && isNow(fail, count)) {
      throw new PlimsollError('DESTINATION_FAILED', `the failpoint ${name} was told to fail`)
    }
  }
}

interface Armed {
  readonly name: Failpoint
  /** Which time it is reached, or how old the process is by then. */
  readonly count?: number
  afterS?: number
}

/** One that waits for an age fires once. */
function isNow(armed: Armed, count: number): boolean {
  if (armed.afterS === undefined) return armed.count === count
  if (process.uptime() < armed.afterS) return false
  armed.afterS = Number.POSITIVE_INFINITY
  return true
}

function parse(text: string | undefined): Armed | undefined {
  if (!text) return undefined
  const [, name, sign = ':', number = '1'] = /^([^:@]*)(?:([:@])(.*))?$/s.exec(text) ?? []
  const known = FAILPOINTS.find((each) => each === name)
  if (!known || !/^[1-9]\d*$/.test(number)) {
    throw new PlimsollError('USAGE', `no failpoint ${text}`, { hint: `Known: ${FAILPOINTS.join(', ')}.` })
  }
  return sign === '@' ? { name: known, afterS: Number(number) } : { name: known, count: Number(number) }
}
