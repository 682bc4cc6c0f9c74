import type { Mistake } from '../../extract/index.ts'
import { NO_FATE } from './life.ts'
import { runSchedule } from './run-schedule.ts'
import { createSchedule, type Schedule } from './schedule.ts'

/** The smallest schedule found that still fails like this seed: fewer runs, fewer mishaps, fewer steps, one slice. */
export async function shrinkSchedule(seed: number, mistake?: Mistake): Promise<Schedule> {
  let smallest = createSchedule(seed)
  const fails = async (schedule: Schedule): Promise<boolean> =>
    (await runSchedule(seed, { mistake, change: () => schedule })).violation !== undefined
  for (let shrunk = true; shrunk; ) {
    shrunk = false
    for (const candidate of smaller(smallest)) {
      if (!(await fails(candidate))) continue
      smallest = candidate
      shrunk = true
      break
    }
  }
  return smallest
}

/** Schedules one step simpler, the boldest first. */
function* smaller(schedule: Schedule): Generator<Schedule> {
  const { fates, maxSteps } = schedule
  if (fates.length > 1) yield { ...schedule, fates: fates.slice(0, -1) }
  for (const [i, fate] of fates.entries()) {
    const simpler = { ...fate, failAt: fate.failAt.slice(1) }
    if (fate.failAt.length > 0) yield { ...schedule, fates: fates.with(i, simpler) }
    if (fate.crashAt !== undefined || fate.crashOn !== undefined || fate.stallAt !== undefined)
      yield { ...schedule, fates: fates.with(i, NO_FATE) }
  }
  if (schedule.fateAtRest !== NO_FATE) yield { ...schedule, fateAtRest: NO_FATE }
  for (const steps of [Math.floor(maxSteps / 2), maxSteps - 1]) {
    if (steps < maxSteps && steps >= 0) yield { ...schedule, maxSteps: steps }
  }
  if (schedule.clockStepUs > 0n) yield { ...schedule, clockStepUs: 0n }
  if (schedule.standbyCount > 0) yield { ...schedule, standbyCount: schedule.standbyCount - 1 }
  if (schedule.sliceRows !== 250_000) yield { ...schedule, sliceRows: 250_000 }
  for (const name of ['lanes', 'peek', 'twoPhase', 'manyHosts', 'sameContents'] as const) {
    if (schedule[name]) yield { ...schedule, [name]: false }
  }
}
