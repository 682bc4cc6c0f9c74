import { createMemoryStore, type MemoryStore } from './memory-store.ts'
import { type Change, ModelDatabase } from './model-database.ts'
import { ModelStandby } from './model-standby.ts'
import { createModelStore, type ModelStore } from './model-store.ts'
import { createRandom, type Random } from './random.ts'
import type { Schedule } from './schedule.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'
import { createWriters, type Writers } from './writers.ts'

/** What outlives every process: the source with its writers and standbys, the destination's store, the catalog's. */
export interface World {
  readonly schedule: Schedule
  readonly clock: VirtualClock
  readonly database: ModelDatabase
  readonly standbys: readonly ModelStandby[]
  readonly writers: Writers
  readonly destination: ModelStore
  readonly catalog: MemoryStore
  /** Draws of the connectors: order of rows, chunks, choice of standby. */
  readonly random: Random
  /** Writers, standbys and time go on a little. */
  pause(): void
  sleep(ms: number): void
  /** From now on nothing is written, and standbys keep up. */
  rest(): void
  note(text: string): void
}

export function createWorld(
  schedule: Schedule,
  note: (text: string) => void,
  onCommit: (changes: readonly Change[]) => void,
): World {
  const clock = createVirtualClock()
  const database = new ModelDatabase(clock, onCommit)
  const standbys = Array.from({ length: schedule.standbyCount }, () => new ModelStandby(database))
  const chance = createRandom(schedule.seed, 1)
  const writers = createWriters(schedule, database, clock, createRandom(schedule.seed, 2), note)
  let pauseCount = 0
  let resting = false
  const replay = (): void => {
    for (const standby of standbys) {
      if (standby.behind > 0 && (resting || chance.chance(schedule.replayChance)))
        standby.replay(resting ? standby.behind : 1)
    }
  }
  const stepClock = (): void => {
    if (schedule.clockStepUs === 0n || ++pauseCount !== schedule.clockStepAt) return
    clock.stepBack(schedule.clockStepUs)
    note(`clock steps back ${schedule.clockStepUs}`)
  }
  const pause = (): void => {
    if (resting) {
      clock.advance(10n)
      return
    }
    stepClock()
    for (let i = chance.below(3); i > 0; i--) writers.step()
    replay()
  }
  return {
    schedule,
    clock,
    database,
    standbys,
    writers,
    destination: createModelStore('model-store'),
    catalog: createMemoryStore(),
    random: createRandom(schedule.seed, 3),
    pause,
    sleep(ms) {
      const untilUs = clock.trueUs() + BigInt(Math.ceil(ms * 1000))
      for (let i = 0; i < 3 && !resting; i++) pause()
      replay()
      if (clock.trueUs() < untilUs) clock.advance(untilUs - clock.trueUs())
    },
    rest() {
      writers.finish()
      resting = true
      replay()
    },
    note,
  }
}
