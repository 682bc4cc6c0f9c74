import type { StoredClaim } from '../destinations/destination.ts'
import { addToCoverage, type Coverage } from '../kernel/coverage.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'
import { comparePositions } from '../kernel/position.ts'
import { formatPosition } from '../kernel/print.ts'
import { type Range, rangeFromJson, rangeToJson } from '../kernel/range.ts'
import { raise } from './alarms.ts'
import { type ClaimFacts, readFacts } from './facts.ts'
import type { StreamSession } from './stream-session.ts'

/** What a person skipped and nothing has filled since (spec E14). */
export function holesIn(coverage: Coverage): readonly Range[] {
  return coverage.filter(({ state }) => state === 'hole').map(({ lower, upper }) => ({ lower, upper }))
}

/** Facts that go with a coverage: holes stand in the claim too, so that they outlive the catalog. */
export function withHoles(facts: ClaimFacts, coverage: Coverage): ClaimFacts {
  const { holes: _, ...rest } = facts
  const holes = holesIn(coverage)
  return holes.length === 0 ? rest : { ...rest, holes: holes.map(rangeToJson) }
}

/** The holes that a claim tells of, below its watermark. */
export function holesOfClaim({ facts, watermark }: StoredClaim): readonly Range[] {
  if (!watermark || facts === '') return []
  return (readFacts(facts).holes ?? []).map(rangeFromJson).flatMap(({ lower, upper }) => {
    if (lower && comparePositions(lower, watermark) >= 0) return []
    return [{ lower, upper: comparePositions(upper, watermark) < 0 ? upper : watermark }]
  })
}

/** A coverage with the holes of a claim in it: what the claim does not vouch for was not landed. */
export function cutHoles(coverage: Coverage, claim: StoredClaim): Coverage {
  const hole = { stream: claim.stream, generation: claim.generation, runId: '', batchId: '', reason: '' }
  return holesOfClaim(claim)
    .map(
      (range): LedgerEntry => ({
        ...hole,
        kind: 'run',
        state: 'hole',
        range,
        proof: 'assumed',
        readSeq: claim.readSeq,
      }),
    )
    .reduce(addToCoverage, coverage)
}

/** An alarm as long as there is a hole, with what fills it. */
export async function tellHoles(session: StreamSession): Promise<void> {
  const { engine, settings } = session
  const holes = holesIn(session.coverage)
  if (holes.length > 0) {
    const fills = holes.map(({ lower, upper }) => {
      const from = lower ? ` --from '${formatPosition(lower)}'` : ''
      return `plimsoll backfill ${settings.stream}${from} --to '${formatPosition(upper)}'`
    })
    await raise(session, 'range_hole', `skipped by hand, and missing until it is read: ${fills.join('; ')}`)
  } else if (holesOfClaim(session.claimAtStart).length > 0) {
    await engine.catalog.resolveAlarm(settings.catalogKey, 'range_hole')
  }
}
