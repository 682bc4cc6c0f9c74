import type { ClockFigures, Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import { duration } from '../words.ts'

const WORTH_A_NOTE_US = 1_000_000n

/** A44: our clock decides nothing, so its distance is a note; the source's clock may not step back (spec E23). */
export function sourceClock(clock: Looked<ClockFigures>, steppedSinceClaimUs: bigint): Check {
  return judge('clock', clock, ({ offsetUs, errorUs, steppedBackUs }) => {
    const stepUs = steppedBackUs > steppedSinceClaimUs ? steppedBackUs : steppedSinceClaimUs
    const figures = {
      offset_us: String(offsetUs),
      error_us: String(errorUs),
      stepped_back_us: String(stepUs),
    }
    if (stepUs > 0n) {
      return {
        severity: 'warning',
        sentence: `The clock of the source stepped back by ${duration(stepUs)}: rows stamped again below the watermark are caught by the overlap only.`,
        remedy: 'timedatectl timesync-status   # on the source: let its clock be slewed, not set',
        figures,
      }
    }
    const away = offsetUs < 0n ? -offsetUs : offsetUs
    if (away <= WORTH_A_NOTE_US)
      return ok(
        `The clock of the source is ${duration(offsetUs)} from ours, give or take ${duration(errorUs)}.`,
        figures,
      )
    return {
      severity: 'note',
      sentence: `The clock of the source is ${duration(offsetUs)} from ours, give or take ${duration(errorUs)}; ours decides nothing.`,
      remedy: undefined,
      figures,
    }
  })
}
