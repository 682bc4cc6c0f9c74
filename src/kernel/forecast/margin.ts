import { beyond, type LatenessLaw } from './law.ts'

/** The least margin that loses at most `loss` rows a run, in seconds; infinite where no margin helps (load-forecast L16). */
export function marginForLoss(rate: number, law: LatenessLaw, loss: number): number {
  const isEnough = (c: number): boolean => rate * beyond(law, c) <= loss
  if (isEnough(0)) return 0
  if (beyond(law, 0) === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY
  let high = law.scale
  while (!isEnough(high)) high *= 2
  let low = high === law.scale ? 0 : high / 2
  for (let i = 0; i < HALVINGS && high - low > high * 1e-12; i++) {
    const middle = (low + high) / 2
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

const HALVINGS = 200

/** What a further nine costs: margins for the loss and for a tenth, a hundredth, … of it (load-forecast L16). */
export function marginsByNine(
  rate: number,
  law: LatenessLaw,
  losses: readonly number[],
): readonly { readonly loss: number; readonly margin: number }[] {
  return losses.map((loss) => ({ loss, margin: marginForLoss(rate, law, loss) }))
}

/** When waiting cannot do it (load-forecast L18). */
export interface BeyondMax {
  readonly lossWanted: number
  /** Seconds; infinite where no margin helps. */
  readonly marginWanted: number
  readonly max: number
  /** Rows a run at `max`. */
  readonly lossAtMax: number
}

/** Undefined when the margin for `loss` is within `max`. */
export function beyondMax(rate: number, law: LatenessLaw, loss: number, max: number): BeyondMax | undefined {
  const marginWanted = marginForLoss(rate, law, loss)
  if (marginWanted <= max) return undefined
  return { lossWanted: loss, marginWanted, max, lossAtMax: rate * beyond(law, max) }
}
