import { applyChanges, type ModelDatabase } from './model-database.ts'
import type { ModelRow } from './model-row.ts'

/** Replays the primary's log, somewhere behind it. */
export class ModelStandby {
  readonly rows = new Map<number, ModelRow>()
  readonly #primary: ModelDatabase
  #replayed = 0

  constructor(primary: ModelDatabase) {
    this.#primary = primary
  }

  get replayed(): number {
    return this.#replayed
  }

  get behind(): number {
    return this.#primary.log.length - this.#replayed
  }

  replay(commitCount: number): void {
    const target = Math.min(this.#primary.log.length, this.#replayed + commitCount)
    while (this.#replayed < target) applyChanges(this.rows, this.#primary.log[this.#replayed++]!)
  }
}
