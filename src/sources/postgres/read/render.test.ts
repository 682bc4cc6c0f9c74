import { expect, test } from 'vitest'
import type { LogicalType } from '../../../kernel/types.ts'
import { selectList } from './render.ts'

const column = (name: string, nativeType: string, type: LogicalType) => ({
  name,
  nativeType,
  type,
  builtin: true,
  nullable: true,
})

test('E52: what is plain already stands bare', () => {
  const bare = (
    [
      'bool',
      'int2',
      'int8',
      'uint8',
      'float8',
      'text',
      'bytes',
      'time',
      'timetz',
      'uuid',
      'jsonb',
      'bit',
      'opaque',
    ] as const
  ).map((name) => column(`c_${name}`, name, { name }))
  const numeric = column('n', 'numeric(10,2)', { name: 'numeric', precision: 10, scale: 2 })
  const list = selectList([...bare, numeric], 'plain_csv', [])
  expect(list.split(', ')).toEqual([...bare, numeric].map(({ name }) => `"${name}"`))
})

test('what is not plain is rendered, for plain_csv alone', () => {
  const columns = [
    column('t', 'timestamp with time zone', { name: 'timestamptz' }),
    column('i', 'interval', { name: 'interval' }),
    column('l', 'integer[]', { name: 'list', of: { name: 'int4' } }),
  ]
  expect(selectList(columns, 'pg_text', [])).toBe('"t", "i", "l"')
  expect(selectList(columns, 'plain_csv', ['t', 'i', 'l'])).toBe('"t", "i", "l"')
  const plain = selectList(columns, 'plain_csv', [])
  expect(plain).toContain('ELSE "t"::timestamp::text END')
  expect(plain).toContain('isfinite("i")')
  expect(plain).toContain('array_to_json("l"::text::text[])')
})

test('money is a number in both formats', () => {
  const money = [column('m', 'money', { name: 'numeric' })]
  expect(selectList(money, 'pg_text', [])).toBe('"m"::numeric')
  expect(selectList(money, 'plain_csv', [])).toBe('"m"::numeric')
  expect(selectList(money, 'plain_csv', ['m'])).toBe('"m"')
})
