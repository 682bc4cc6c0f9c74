import type { StoredClaim } from '../destinations/destination.ts'
import type { AlarmName } from '../kernel/alarm.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { ServerIdentity, TableShape } from '../sources/source.ts'
import { checkIdentity, checkOrder, checkSchema } from './check-source.ts'
import type { Choice } from './choose.ts'
import { type ClaimFacts, readFacts } from './facts.ts'
import { columnAlarms } from './schema-alarms.ts'
import type { StreamSettings } from './settings.ts'

/** What the claim and the source of today have to say to each other. */
export interface Checked {
  readonly facts: ClaimFacts | undefined
  readonly added: readonly string[]
  readonly extraOverlap: bigint
  /** The source was promoted: how far below the watermark a new generation begins (spec E66). */
  readonly rewindUs: bigint | undefined
  /** The next rows say nothing about lateness: the source or the claim is not the one of the rows below it (spec E41). */
  readonly begins: boolean
  readonly alarms: readonly { readonly name: AlarmName; readonly text: string }[]
}

/** Stops or widens where today’s source is not the one of the claim (spec E66–E68). */
export function checkAgainstClaim(
  settings: StreamSettings,
  claim: StoredClaim | undefined,
  identity: ServerIdentity,
  shape: TableShape,
  choice: Choice,
): Checked {
  const none = { added: [], extraOverlap: 0n, rewindUs: undefined, alarms: [], begins: true }
  if (!claim) return { ...none, facts: undefined }
  const facts = readFacts(claim.facts)
  if (facts.acceptPresent) {
    // A watermark that stands is a position of the order it was made in.
    if (claim.watermark) checkOrder(settings.stream, facts, choice)
    return { ...none, facts }
  }
  const { timelineChanged } = checkIdentity(settings.stream, facts, identity)
  if (timelineChanged && settings.onTimelineChange === 'stop') {
    throw new PlimsollError(
      'SOURCE_CHANGED',
      `${settings.stream}: the source was promoted or restored: timeline ${facts.source.timeline} became ${identity.timeline}`,
      {
        hint: 'Commits of the old primary may be missing on the new one. onTimelineChange: rewind reads the last failoverOverlap again, { rewind: 1h } an hour; or rewind by hand.',
      },
    )
  }
  checkOrder(settings.stream, facts, choice)
  const added = checkSchema(settings.stream, facts, shape, choice.key)
  const grainBefore = BigInt(facts.order.grain)
  const coarser = choice.order.grain > grainBefore
  const rewindUs =
    timelineChanged && settings.onTimelineChange !== 'stop' ? settings.onTimelineChange.rewindUs : undefined
  const alarms = [
    ...(coarser
      ? [
          {
            name: 'grain_changed' as const,
            text: `${choice.order.column} now moves in steps of ${choice.order.grain}, before ${grainBefore}; the overlap is widened once`,
          },
        ]
      : []),
    ...(added.length > 0 && claim.watermark
      ? [
          {
            name: 'column_added' as const,
            text: `new column ${added.join(', ')}: rows below the watermark have no value there. To read them: plimsoll backfill ${settings.stream}`,
          },
        ]
      : []),
    ...columnAlarms(settings.stream, facts, shape, claim.watermark),
    ...(timelineChanged
      ? [
          {
            name: 'timeline_changed' as const,
            text: `timeline ${facts.source.timeline} became ${identity.timeline}; a new generation begins ${rewindUs} µs lower`,
          },
        ]
      : []),
  ]
  return {
    facts,
    added,
    extraOverlap: coarser ? choice.order.grain : 0n,
    rewindUs,
    begins: timelineChanged,
    alarms,
  }
}
