import { type Mistake, runStream, type StreamResult } from '../../extract/index.ts'
import type { Checker } from './checker.ts'
import { Crash, createLife, type Fate, NO_FATE } from './life.ts'
import { createModelEngine, streamSettings } from './model-engine.ts'
import type { OwnReading } from './model-fence.ts'
import { isLargeStep } from './schedule.ts'
import type { World } from './world.ts'

/** Starts one process after another on the same stores. */
export interface Machine {
  readonly runCount: number
  /** Where processes died. */
  readonly deaths: readonly string[]
  /** One run in one process; undefined when the process died. */
  run(fate: Fate): Promise<StreamResult | undefined>
}

export function createMachine(world: World, checker: Checker, mistake: Mistake | undefined): Machine {
  const { schedule, note, pause } = world
  const settings = streamSettings(schedule)
  const dead = new Set<number>()
  const deaths: string[] = []
  // Only a process that lives on measures a large step of the clock exactly (spec E23): then all runs are of one.
  const served: OwnReading = { last: undefined }
  let runCount = 0

  async function run(fate: Fate): Promise<StreamResult | undefined> {
    const pid = ++runCount
    const life = createLife({ fate, pause, stall, note })
    const ownReading: OwnReading = isLargeStep(schedule) ? served : { last: undefined }
    const isDead = (other: number): boolean => dead.has(other)
    const engine = createModelEngine(world, checker, life, { pid, isDead, ownReading }, mistake)
    note(`process ${pid}`)
    try {
      const result = await runStream(engine, settings)
      note(`${result.outcome} ${result.error?.code ?? ''} ${result.watermarkAfter?.value} ${result.proof}`)
      return result
    } catch (error) {
      if (error instanceof Crash) deaths.push(life.diedAt!)
      else checker.report('failed', String(error))
      dead.add(pid)
      return undefined
    }
  }

  /** The lease of a process that stands still runs out, and another works meanwhile. */
  async function stall(): Promise<void> {
    world.sleep(settings.limits.leaseMs)
    await run(NO_FATE)
  }

  return {
    get runCount() {
      return runCount
    },
    deaths,
    run,
  }
}
