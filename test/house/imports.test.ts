import { describe, expect, test } from 'vitest'
import { bannedWords, importFaults, importsOf, withoutComments } from './check.ts'
import { filesBelow } from './walk.ts'

const sources = filesBelow(['src'], /\.ts$/)

describe('the house', () => {
  test('has files to look at', () => {
    expect(sources).not.toHaveLength(0)
  })

  test('imports go one way', () => {
    expect(sources.flatMap(importFaults)).toEqual([])
  })

  test('environment, clocks and dates stay where they belong', () => {
    expect(sources.flatMap(bannedWords)).toEqual([])
  })
})

describe('the check finds a planted fault:', () => {
  test.each([
    ['src/kernel/a.ts', "import fs from 'node:fs'"],
    ['src/kernel/a.ts', "import type { Readable } from 'node:stream'"],
    ['src/kernel/a.ts', "import { z } from 'zod'"],
    ['src/kernel/a.ts', "import x from '../sources/source.ts'"],
    ['src/sources/source.ts', "import { Readable } from 'node:stream'"],
    ['src/sources/source.ts', "import x from './wire.ts'"],
    ['src/destinations/destination.ts', "export * from '../extract/run.ts'"],
    ['src/sources/postgres/a.ts', "import x from '../sqlite/b.ts'"],
    ['src/sources/postgres/a.ts', "const x = await import('../../destinations/postgres/b.ts')"],
    ['src/sources/postgres/a.ts', "import { run } from '../../extract/run.ts'"],
    ['src/destinations/duckdb/a.ts', "import '../../config/load.ts'"],
    ['src/extract/a.ts', "import x from '../sources/postgres/a.ts'"],
    ['src/extract/a.ts', "import x from '../cli/main.ts'"],
    ['src/extract/a.ts', "import x from '../assure/check-session.ts'"],
    ['src/assure/audit/a.ts', "import x from '../../sources/postgres/look/a.ts'"],
    ['src/assure/audit/a.ts', "import x from '../../destinations/duckdb/look/a.ts'"],
    ['src/assure/audit/a.ts', "import x from '../../sources/csv.ts'"],
    ['src/assure/audit/a.ts', "import x from '../../cli/main.ts'"],
    ['src/sources/look.ts', "import x from '../assure/check-session.ts'"],
    ['src/sources/postgres/a.ts', "import x from '../../assure/check-session.ts'"],
    ['src/config/a.ts', "import x from '../extract/run.ts'"],
    ['src/testing/a.ts', "import x from '../sources/postgres/a.ts'"],
    ['src/extract/a.ts', "import x from './b.test.ts'"],
    ['src/attic/a.ts', ''],
  ])('%s: %s', (path, text) => {
    expect(importFaults({ path, text })).toHaveLength(1)
  })

  test.each([
    ['src/kernel/a.ts', 'const now = Date.now()'],
    ['src/kernel/a.ts', 'const at = new Date(0)'],
    ['src/kernel/a.ts', 'const x = Math.random()'],
    ['src/sources/postgres/a.ts', 'const at = new Date(row.at)'],
    ['src/extract/a.ts', 'const at = Date.parse(text)'],
    ['src/extract/a.ts', 'const home = process.env.HOME'],
  ])('%s: %s', (path, text) => {
    expect(bannedWords({ path, text })).toHaveLength(1)
  })
})

describe('the check lets pass what is allowed:', () => {
  test.each([
    ['src/kernel/a.ts', "import { b } from './b.ts'"],
    ['src/sources/source.ts', "import type { Readable } from 'node:stream'"],
    ['src/destinations/destination.ts', "import type { RowStream } from '../sources/source.ts'"],
    [
      'src/sources/postgres/a.ts',
      "import pg from 'pg'\nimport x from './sql/b.ts'\nimport w from '../wire.ts'",
    ],
    ['src/extract/a.ts', "import type { Source } from '../sources/source.ts'"],
    [
      'src/assure/audit/a.ts',
      "import type { Look } from '../../sources/look.ts'\nimport x from '../check-session.ts'",
    ],
    ['src/assure/audit/a.ts', "import x from '../../extract/engine.ts'"],
    ['src/assure/verify/a.ts', "import { chainFault } from '../../catalog/record-chain.ts'"],
    ['src/cli/a.ts', "const x = await import('../sources/postgres/a.ts')"],
    ['src/kernel/a.test.ts', "import { test } from 'vitest'"],
    ['src/kernel/a.ts', "// import fs from 'node:fs'\nconst text = 'copied from b'"],
  ])('%s: %s', (path, text) => {
    expect(importFaults({ path, text })).toEqual([])
  })

  test('a clock outside of the kernel, a date in a comment, the environment in config', () => {
    expect(bannedWords({ path: 'src/extract/a.ts', text: 'const startedMs = Date.now()' })).toEqual([])
    expect(bannedWords({ path: 'src/kernel/a.ts', text: '/** not a `new Date(0)` */' })).toEqual([])
    expect(bannedWords({ path: 'src/config/a.ts', text: 'export default process.env' })).toEqual([])
  })
})

test('imports are found in every form', () => {
  const text = `
    import a from 'a'
    import type {
      B,
    } from 'b'
    import 'c'
    export { d } from "d"
    export const from = 1
    const e = await import('e')
    // import 'z'
  `
  const found = importsOf(text)
  expect(found.map(({ specifier }) => specifier)).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(found.filter(({ typeOnly }) => typeOnly)).toHaveLength(1)
})

test('comments go, strings stay', () => {
  expect(withoutComments("a('//x') // b\n/* c */d(`/*`)")).toBe("a('//x') \nd(`/*`)")
})
