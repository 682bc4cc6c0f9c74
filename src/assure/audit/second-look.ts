import type { WordKind } from '../../kernel/fingerprint/comparison.ts'
import type { LookedRow } from '../../sources/look.ts'
import { type CheckSession, openLooks } from '../check-session.ts'
import { lookUp } from '../compare/look-up.ts'
import { type Bounds, classify, type Judgement } from './classify.ts'
import type { Suspect } from './find-differences.ts'
import { waitForSecondLook } from './wait-for-run.ts'

/** When the second look may be taken (spec A11). */
export interface SecondLookPolicy {
  readonly secondLookMs: number
  readonly secondLookMaxMs: number
}

export interface SecondLookRequest {
  readonly check: CheckSession
  readonly suspects: readonly Suspect[]
  readonly word: WordKind
  /** Bounds of a later look, from its claim and the source's clock. */
  readonly boundsOf: (looks: { claim: Bounds['watermark']; takenUs: string }) => Bounds
  readonly policy: SecondLookPolicy
  /** A line for people while it waits. */
  readonly say?: ((text: string) => void) | undefined
  /** The catalog's clock when the first look was taken, µs. */
  readonly firstLookUs: bigint
}

/** What became of a suspect. */
export interface Settled extends Suspect {
  readonly state: 'suspected' | 'confirmed' | 'moving' | 'withdrawn'
  /** The source's clock at the last look, µs. */
  readonly secondLookUs: string
}

const MAX_ROUNDS = 5
/** Rows that land apart: only a run since the first look can tell whether they are missing (spec A10). */
const NEEDS_RUN: readonly Judgement[] = ['UNORDERABLE', 'FUTURE']

/**
 * Looks at the suspects again, by key, destination first: the same verdict about the same source row is confirmed; a row
 * that is alike now, or will come by itself, is withdrawn; one that changed is judged anew, five times at most (spec A11).
 */
export async function lookAgain(request: SecondLookRequest): Promise<readonly Settled[]> {
  const { check, word, policy } = request
  const done: Settled[] = []
  let pending = request.suspects
  let sinceUs = request.firstLookUs
  for (let round = 1; pending.length > 0; round++) {
    request.say?.(waiting(check, pending.length, policy))
    const hasRun = await waitForSecondLook(check, sinceUs, policy)
    sinceUs = check.engine.catalog.nowUs()
    const looks = await openLooks(check)
    try {
      const there = await lookUp(looks.destination, pending, word)
      const here = await lookUp(looks.source, pending, word)
      const takenUs = looks.source.takenUs
      const bounds = request.boundsOf({ claim: looks.claim.watermark!, takenUs })
      const next: Suspect[] = []
      for (const before of pending) {
        const now = judgeAgain(
          bounds,
          before,
          here.get(before.keyText) ?? [],
          there.get(before.keyText) ?? [],
        )
        const state = stateOf(before, now, hasRun)
        if (state !== 'changed') done.push({ ...now, state, secondLookUs: takenUs })
        else if (round >= MAX_ROUNDS) done.push({ ...now, state: 'moving', secondLookUs: takenUs })
        else next.push(now)
      }
      pending = next
    } finally {
      await looks.close()
    }
  }
  return done
}

/** Nobody should wonder why a check stands still. */
function waiting({ settings }: CheckSession, count: number, { secondLookMaxMs }: SecondLookPolicy): string {
  const rows = `${count} ${count === 1 ? 'row' : 'rows'}`
  const most =
    secondLookMaxMs < 60_000
      ? `${Math.ceil(secondLookMaxMs / 1000)} s`
      : `${Math.ceil(secondLookMaxMs / 60_000)} min`
  return `${settings.stream}: ${rows} to look at again after the next run, at most ${most}`
}

function judgeAgain(
  bounds: Bounds,
  before: Suspect,
  source: readonly LookedRow[],
  destination: readonly LookedRow[],
): Suspect {
  const judgement = classify(bounds, source, destination)
  return { ...before, judgement, source: source[0], destination: destination[0] }
}

function stateOf(before: Suspect, now: Suspect, hasRun: boolean): Settled['state'] | 'changed' {
  if (now.judgement === 'equal' || now.judgement === 'AT_RISK' || now.judgement === 'PENDING')
    return 'withdrawn'
  const sameRow = now.source?.word === before.source?.word && now.source?.position === before.source?.position
  if (now.judgement !== before.judgement || !sameRow) return 'changed'
  return NEEDS_RUN.includes(now.judgement) && !hasRun ? 'suspected' : 'confirmed'
}
