import { expect, test } from 'vitest'
import { isBuiltin, logicalType } from './logical-type.ts'

const type = (name: string, more = {}) => ({ schema: 'pg_catalog', name, kind: 'b', typmod: -1, ...more })
const typmod = (precision: number, scale: number) => ((precision << 16) | (scale & 0x7ff)) + 4

test('numeric has precision and scale where they are declared, negative ones too', () => {
  expect(logicalType(type('numeric'), undefined)).toEqual({ name: 'numeric' })
  expect(logicalType(type('numeric', { typmod: typmod(38, 10) }), undefined)).toMatchObject({
    precision: 38,
    scale: 10,
  })
  expect(logicalType(type('numeric', { typmod: typmod(5, -2) }), undefined)).toMatchObject({
    precision: 5,
    scale: -2,
  })
  expect(logicalType(type('numeric', { typmod: typmod(1000, 1000) }), undefined)).toMatchObject({
    scale: 1000,
  })
  expect(logicalType(type('_numeric', { typmod: typmod(9, 3) }), type('numeric'))).toEqual({
    name: 'list',
    of: { name: 'numeric', precision: 9, scale: 3 },
  })
})

test('a type of the same name in another schema is another type', () => {
  expect(logicalType(type('text', { schema: 'public' }), undefined)).toEqual({ name: 'opaque' })
  expect(logicalType(type('citext', { schema: 'extensions' }), undefined)).toEqual({ name: 'text' })
})

test('only types that any server can read are builtin', () => {
  expect(isBuiltin(type('int4range', { kind: 'r' }), undefined)).toBe(true)
  expect(isBuiltin(type('regclass'), undefined)).toBe(false)
  expect(isBuiltin(type('mood', { schema: 'public', kind: 'e' }), undefined)).toBe(false)
  expect(isBuiltin(type('_mood', { schema: 'public' }), type('mood', { schema: 'public', kind: 'e' }))).toBe(
    false,
  )
})
