import { expect, test } from 'vitest'
import { paretoLaw } from '../../kernel/forecast/families.ts'
import { beyondMax } from '../../kernel/forecast/margin.ts'
import { beyondMaxSentence } from './sentence.ts'

test('Pareto 1.5, 3.4 a second, max 24 h: 103 hours (L18)', () => {
  expect(beyondMaxSentence(beyondMax(3.4, paretoLaw(1.5, 0.2), 0.001, 86_400)!)).toBe(
    'to lose less than 0.001 rows a run by waiting, the overlap would have to be 103 hours; use a fence. At its max of 24 hours it loses 0.00207 rows a run.',
  )
  expect(beyondMaxSentence(beyondMax(3.4, paretoLaw(0.9, 0.2), 0.001, 90)!)).toBe(
    'to lose less than 0.001 rows a run by waiting, no overlap would be long enough; use a fence. At its max of 90 seconds it loses rows without bound a run.',
  )
})
