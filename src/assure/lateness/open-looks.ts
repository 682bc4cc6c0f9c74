import type { OpenTransactions } from '../../sources/source.ts'
import { keyOf } from './sampler-log.ts'
import { addTo, emptySketch } from './sketch.ts'

/** One look as sketches need it: the ages of those who have written, and the lengths of those seen to end; µs. */
export interface WriterLook {
  readonly ages: readonly number[]
  readonly endedLengths: readonly number[]
}

/** The writers of a look; those of the look before that are gone ended about halfway between the two (assurance A36). */
export function writersOf(look: OpenTransactions, before: OpenTransactions | undefined): WriterLook {
  const takenUs = BigInt(look.takenUs)
  const writers = look.transactions.filter(({ transaction }) => transaction !== undefined)
  const stillOpen = new Set(writers.map(keyOf))
  const beforeUs = before ? BigInt(before.takenUs) : takenUs
  const ended = (before?.transactions ?? []).filter(
    (each) => each.transaction !== undefined && !stillOpen.has(keyOf(each)),
  )
  const middle = (beforeUs + takenUs) / 2n
  return {
    ages: writers.map(({ startUs }) => Math.max(0, Number(takenUs - BigInt(startUs)))),
    endedLengths: ended.map(({ startUs }) => Math.max(1, Number(middle - BigInt(startUs)))),
  }
}

/**
 * Open transactions as a stream keeps them (assurance A36): how many writers are older than x on average **is** their
 * rate times G(x). A length seen to end enters with weight 1/length, for long transactions are met more often.
 */
export function measureLooks(looks: readonly WriterLook[]) {
  const sketch = emptySketch()
  const lengths = emptySketch()
  for (const { ages, endedLengths } of looks) {
    for (const age of ages) addTo(sketch, age)
    for (const length of endedLengths) addTo(lengths, length, 1 / length)
  }
  return { sketch, lengths, looks: looks.length }
}
