import { expect, test } from 'vitest'
import { filesBelow } from './walk.ts'

/** How many cases each group of the extraction cases has. */
const GROUPS: Readonly<Record<string, number>> = {
  TIE: 7,
  LATE: 8,
  PREC: 6,
  ZONE: 5,
  LANE: 4,
  STATE: 9,
  PAGE: 3,
  IDENT: 3,
  PLAN: 3,
  CHECK: 4,
  OWN: 10,
}

/** These concern MySQL or MariaDB alone. */
const ELSEWHERE = new Set(['LATE-6', 'LATE-7', 'LANE-4', 'CHECK-4', 'OWN-4', 'OWN-5'])

const CASES = Object.entries(GROUPS)
  .flatMap(([group, count]) => Array.from({ length: count }, (_, index) => `${group}-${index + 1}`))
  .filter((id) => !ELSEWHERE.has(id))

/** Ids at the start of a test's name: `test('TIE-1 …'`, `caseTest('PREC-1, TIE-7: …'`, `('LATE-5a, E37: …'`. */
function casesNamedIn(text: string): string[] {
  return [...text.matchAll(/\(\s*['"`]([A-Z]+-\d+[^'"`]*)/g)].flatMap(([, name]) => {
    const ids = /^(?:[A-Z]+-\d+[a-z]?(?:, )?)+/.exec(name!)?.[0] ?? ''
    return ids.match(/[A-Z]+-\d+/g) ?? []
  })
}

test('every case that concerns PostgreSQL or SQLite is a test named after it', () => {
  const tests = filesBelow(['src', 'test'], /\.test\.ts$/).filter(
    ({ path }) => !path.startsWith('test/house/'),
  )
  const named = new Set(tests.flatMap(({ text }) => casesNamedIn(text)))
  expect(CASES.filter((id) => !named.has(id))).toEqual([])
})

test('the check reads ids at the start of names only', () => {
  expect(
    casesNamedIn(`test('TIE-1 a row', f); caseTest("PREC-3, PREC-4: x"); each(x)('LATE-5a, E37: y')`),
  ).toEqual(['TIE-1', 'PREC-3', 'PREC-4', 'LATE-5'])
  expect(casesNamedIn(`test('a lost catalog (STATE-4)', f)`)).toEqual([])
})
