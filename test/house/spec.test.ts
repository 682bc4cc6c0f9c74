import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const text = readFileSync(`${ROOT}docs/spec/extraction.md`, 'utf8')
const rules = [...text.matchAll(/^- \*\*(E\d+)\*\*/gm)].map((match) => match[1]!)
const rows = new Map([...text.matchAll(/^\| (E\d+) \| (.+) \|$/gm)].map((match) => [match[1]!, match[2]!]))

describe('the table of tests at the end of the extraction spec', () => {
  test('has a row for every rule', () => {
    expect(rules.length).toBeGreaterThan(70)
    expect(rules.filter((rule) => !rows.has(rule))).toEqual([])
  })

  test('names files that are there', () => {
    const files = [...rows.values()].flatMap((row) =>
      [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1]!),
    )
    expect(files.filter((file) => !existsSync(ROOT + file))).toEqual([])
  })
})
