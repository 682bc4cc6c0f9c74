import { PlimsollError } from '../../kernel/errors.ts'
import { FAILPOINTS, type Failpoint, type ReachFailpoint } from '../../kernel/failpoint.ts'

/**
 * For the crash suite (spec E74): `PLIMSOLL_FAILPOINT=name` or `name:3` ends this process with SIGKILL when the name is
 * reached for the third time; `PLIMSOLL_FAILPOINT_THROW` throws instead, once, and `PLIMSOLL_FAILPOINT_STOP` stands still
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
    if (kill?.name === name && kill.count === count) {
      process.kill(process.pid, 'SIGKILL')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    }
    if (stop?.name === name && stop.count === count) process.kill(process.pid, 'SIGSTOP')
    if (fail?.name === name && fail.count === count) {
      throw new PlimsollError('DESTINATION_FAILED', `the failpoint ${name} was told to fail`)
    }
  }
}

function parse(text: string | undefined): { name: Failpoint; count: number } | undefined {
  if (!text) return undefined
  const [name, count = '1'] = text.split(':')
  const known = FAILPOINTS.find((each) => each === name)
  if (!known || !/^[1-9]\d*$/.test(count)) {
    throw new PlimsollError('USAGE', `no failpoint ${text}`, { hint: `Known: ${FAILPOINTS.join(', ')}.` })
  }
  return { name: known, count: Number(count) }
}
