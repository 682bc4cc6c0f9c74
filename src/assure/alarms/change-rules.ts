import type { RecordView } from '../../extract/record-view.ts'
import { comparePositions, positionFromJson } from '../../kernel/position.ts'
import { type AlarmJudge, cleanCheckSince, endedUs, isGood, RESOLVE } from './alarm-facts.ts'

/** Errors that say another world answers, and the alarm of each (spec E60, E66, E67). */
const ALARM_OF_ERROR: Readonly<Record<string, string>> = {
  SOURCE_CHANGED: 'source_changed',
  SOURCE_WENT_BACK: 'source_went_back',
  DESTINATION_WENT_BACK: 'destination_went_back',
  SCHEMA_CHANGED: 'schema_changed',
  POSITION_TYPE_CHANGED: 'schema_changed',
}

/**
 * Raised by a run that stopped with the error; resolved by one that ended well since: in a new generation, by a person's
 * act, or because what the claim was made with answers again.
 */
const stoppedBy =
  (name: string): AlarmJudge =>
  ({ runs }, open) => {
    const [last] = runs
    if (last?.error && ALARM_OF_ERROR[last.error.code] === name)
      return { kind: 'raise', text: last.error.message, evidence: last.error.code }
    if (!open) return undefined
    return runs.some((run) => isGood(run) && endedUs(run) > open.raisedUs) ? RESOLVE : undefined
  }

const nextCleanCheck: AlarmJudge = (facts, open) =>
  open && cleanCheckSince(facts, open) ? RESOLVE : undefined

/** Everything below the watermark of then has been read again. */
const columnAdded: AlarmJudge = ({ backfills }, open) => {
  if (!open) return undefined
  return backfills.some((backfill) => endedUs(backfill) > open.raisedUs && covers(backfill, open.evidence))
    ? RESOLVE
    : undefined
}

function covers({ slices = [] }: RecordView, below: string): boolean {
  const [first, last] = [slices[0], slices.at(-1)]
  if (!first || !last || first.range.lower !== null) return false
  const upper = positionFromJson(last.range.upper)
  return comparePositions(upper, positionFromJson({ kind: upper.kind, value: below })) >= 0
}

const clockSteppedBack: AlarmJudge = ({ runs }, open) => {
  if (!open) return undefined
  const isNormal = ({ fence }: RecordView): boolean => fence?.clockStepUs === '0'
  return runs.some((run) => isNormal(run) && BigInt(run.opened_us ?? '0') > open.raisedUs)
    ? RESOLVE
    : undefined
}

/** Declared anew: the doubt is remembered until a person opens a new generation (spec E21). */
const proofContradicted: AlarmJudge = ({ memory }, open) =>
  open && memory && !memory.contradicted ? RESOLVE : undefined

const chainBroken: AlarmJudge = ({ rewinds }, open) =>
  open && rewinds.some((rewind) => endedUs(rewind) > open.raisedUs) ? RESOLVE : undefined

export const CHANGE_RULES: Readonly<Record<string, AlarmJudge>> = {
  ...Object.fromEntries(Object.values(ALARM_OF_ERROR).map((name) => [name, stoppedBy(name)])),
  grain_changed: nextCleanCheck,
  timeline_changed: nextCleanCheck,
  column_added: columnAdded,
  labels_changed: columnAdded,
  partition_attached: columnAdded,
  column_changed: nextCleanCheck,
  partition_detached: nextCleanCheck,
  clock_stepped_back: clockSteppedBack,
  proof_contradicted: proofContradicted,
  chain_broken: chainBroken,
}
