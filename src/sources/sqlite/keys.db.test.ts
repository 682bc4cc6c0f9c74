import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { type KeyColumn, keysPredicate } from './predicates.ts'

const db = new Database(':memory:')
db.exec(`CREATE TABLE plain (a TEXT, b INTEGER, PRIMARY KEY (a, b));
  CREATE TABLE numbered (id INTEGER PRIMARY KEY);
  CREATE TABLE loose (k TEXT COLLATE NOCASE PRIMARY KEY);
  INSERT INTO plain VALUES ('x', 1), ('x', 2), ('X', 1), ('', 1), (NULL, 1), (NULL, 2), ('y', NULL);
  WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) INSERT INTO numbered SELECT i FROM n;
  INSERT INTO loose VALUES ('a'), ('B'), ('c')`)

const text = (name: string, collation = 'BINARY'): KeyColumn => ({ name, type: { name: 'text' }, collation })
const integer = (name: string): KeyColumn => ({ name, type: { name: 'int8' } })
const rows = (table: string, predicate: string) =>
  db
    .prepare(`SELECT * FROM ${table} WHERE ${predicate} ORDER BY ${table === 'plain' ? 'a, b' : '1'}`)
    .raw()
    .all()
const plan = (table: string, predicate: string): string =>
  db
    .prepare(`EXPLAIN QUERY PLAN SELECT * FROM ${table} WHERE ${predicate}`)
    .all()
    .map((step) => (step as { detail: string }).detail)
    .join('; ')

describe('rows of some keys (A28)', () => {
  test('by the index of the key, however many they are', () => {
    const keys = Array.from({ length: 2_500 }, (_, i) => [String(i * 2)])
    const predicate = keysPredicate([integer('id')], keys)
    expect(rows('numbered', predicate)).toHaveLength(1_500)
    expect(plan('numbered', predicate)).toMatch(/^SEARCH numbered USING INTEGER PRIMARY KEY/)
    const many = keysPredicate(
      [text('a'), integer('b')],
      Array.from({ length: 2_500 }, (_, i) => ['x', String(i)]),
    )
    expect(rows('plain', many)).toEqual([
      ['x', 1],
      ['x', 2],
    ])
    expect(plan('plain', many)).toContain('SEARCH plain USING')
  })

  test('a NULL is a value like any other', () => {
    const key = [text('a'), integer('b')]
    const predicate = keysPredicate(key, [
      [null, '1'],
      ['y', null],
      ['', '1'],
      [null, null],
    ])
    expect(rows('plain', predicate)).toEqual([
      [null, 1],
      ['', 1],
      ['y', null],
    ])
    const many = keysPredicate(
      key,
      Array.from({ length: 2_500 }, (_, i) => [null, String(i)]),
    )
    expect(rows('plain', many)).toEqual([
      [null, 1],
      [null, 2],
    ])
    expect(keysPredicate(key, [])).toBe('false')
  })

  test('texts are the same as bytes only, whatever the column calls equal (A32)', () => {
    const predicate = keysPredicate([text('k', 'NOCASE')], [['A'], ['b'], ['c']])
    expect(rows('loose', predicate)).toEqual([['c']])
    expect(plan('loose', predicate)).toContain('SEARCH loose USING')
    expect(rows('loose', keysPredicate([text('k', 'NOCASE')], [['a'], ['B']]))).toEqual(
      [['B'], ['a']].reverse(),
    )
  })
})
