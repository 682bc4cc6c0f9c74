import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { filePathOf } from './file-path.ts'

test('absolute and relative files', () => {
  expect(filePathOf('duckdb:///data/shop.duckdb')).toBe('/data/shop.duckdb')
  expect(filePathOf('duckdb:/data/shop.duckdb')).toBe('/data/shop.duckdb')
  expect(filePathOf('duckdb:///data/my%20shop.duckdb')).toBe('/data/my shop.duckdb')
  expect(filePathOf('duckdb:out/shop.duckdb')).toBe(resolve('out/shop.duckdb'))
})

test.each(['duckdb:', 'duckdb://', 'duckdb::memory:', 'duckdb://host/db', 'postgres://x/y'])(
  '%s names no file',
  (url) => {
    expect(() => filePathOf(url)).toThrow(/names no DuckDB file/)
  },
)
