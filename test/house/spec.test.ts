import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): string => readFileSync(ROOT + path, 'utf8')

/** Each copy, the letter of its rules, and how many there are. */
const SPECS: readonly (readonly [string, string, number])[] = [
  ['extraction', 'E', 75],
  ['assurance', 'A', 59],
  ['fingerprint', 'F', 37],
  ['load-forecast', 'L', 37],
]

const FILE = /`((?:src|test|bench|scripts|docs)\/[^`]+)`/g
const filesIn = (row: string): string[] => [...row.matchAll(FILE)].map((match) => match[1]!)
/** What a row says that is not there; MySQL as a whole is said once. */
const isGap = (row: string): boolean => /not yet: (?!MySQL$)/.test(row)
const saysWhy = (row: string): boolean => /not yet: \S|no test: \S/.test(row)

function parse(text: string, letter: string): { rules: string[]; rows: Map<string, string> } {
  const rules = [...text.matchAll(new RegExp(`^- \\*\\*(${letter}\\d+)\\*\\*`, 'gm'))].map(
    (match) => match[1]!,
  )
  const rows = [...text.matchAll(new RegExp(`^\\| (${letter}\\d+) \\| (.+) \\|$`, 'gm'))]
  return { rules, rows: new Map(rows.map((match) => [match[1]!, match[2]!])) }
}

describe.each(SPECS)('the table of tests at the end of the %s spec', (name, letter, count) => {
  const { rules, rows } = parse(read(`docs/spec/${name}.md`), letter)

  test('has a row for every rule, and no other', () => {
    expect(rules).toHaveLength(count)
    expect([...rows.keys()]).toEqual(rules)
  })

  test('names files that are there', () => {
    expect([...rows.values()].flatMap(filesIn).filter((file) => !existsSync(ROOT + file))).toEqual([])
  })

  test('names a file, or says why there is none', () => {
    expect([...rows].filter(([, row]) => filesIn(row).length === 0 && !saysWhy(row))).toEqual([])
  })

  test('what is not yet stands among the known gaps', () => {
    const gaps = read('docs/known-gaps.md')
    const prefix = letter === 'L' ? 'load-forecast ' : ''
    const isKnown = (rule: string): boolean => new RegExp(`${prefix}${rule}\\b`).test(gaps)
    expect([...rows].filter(([rule, row]) => isGap(row) && !isKnown(rule)).map(([rule]) => rule)).toEqual([])
  })
})

test('the check finds a rule without a row, and a row without a reason', () => {
  const { rules, rows } = parse('- **A1** a\n- **A2** b\n\n| A2 | later |\n', 'A')
  expect([rules, [...rows]]).toEqual([['A1', 'A2'], [['A2', 'later']]])
  expect(saysWhy('later')).toBe(false)
  expect(saysWhy('not yet: MySQL')).toBe(true)
  expect([isGap('not yet: MySQL'), isGap('`src/a.ts`; not yet: b')]).toEqual([false, true])
  expect(filesIn('`src/a.test.ts` and `gone`')).toEqual(['src/a.test.ts'])
})
