import { expect, test } from 'vitest'
import { MISTAKES } from '../../src/extract/index.ts'
import type { Violation } from '../../src/testing/simulator/checker.ts'
import { runSchedule } from '../../src/testing/simulator/run-schedule.ts'

const WITHIN = 10_000
const MINUTES_5_MS = 300_000

/** A simulation that finds nothing proves nothing unless it would have found something. */
test.each(MISTAKES)(
  `%s is found within ${WITHIN} schedules, and is what fails there`,
  { timeout: MINUTES_5_MS },
  async (mistake) => {
    let seed = 0
    let found: Violation | undefined
    while (!isDamage(found) && seed < WITHIN) found = (await runSchedule(++seed, { mistake })).violation
    expect(isDamage(found)).toBe(true)
    expect((await runSchedule(seed)).violation).toBeUndefined()
    console.log(`${mistake}: seed ${seed}, ${found!.kind}: ${found!.text}`)
  },
)

/** Rows that are wrong, not just a watermark that does not get on. */
function isDamage(violation: Violation | undefined): boolean {
  return violation !== undefined && ['lost', 'stale', 'doubled'].includes(violation.kind)
}
