import type { LogicalType, ScalarName } from '../kernel/types.ts'

export interface TypeCase {
  /** As in DestinationSetup.refused. */
  readonly label: string
  readonly type: LogicalType
  /** Wire texts (`plain_csv`). */
  readonly values: readonly string[]
}

const NINES_28 = '9'.repeat(28)
const NINES_38 = '9'.repeat(38)

const MOMENTS = [
  '1970-01-01 00:00:00',
  '1969-12-31 23:59:59.999999',
  '2026-03-01 10:00:00.061789',
  '0001-01-01 00:00:00',
  '0001-12-31 (BC) 23:59:59.999999',
  '0044-03-15 (BC) 10:00:00.5',
  '4714-11-24 (BC) 00:00:00',
  '9999-12-31 23:59:59.999999',
  '10000-01-01 00:00:00',
  '294247-01-10 04:00:54.775806',
  '294276-12-31 23:59:59.999999',
  'infinity',
  '-infinity',
]

const FLOATS = ['0', '-0', 'NaN', 'Infinity', '-Infinity', '0.1', '-1.5']

const scalar = (name: ScalarName, values: readonly string[]): TypeCase => ({
  label: name,
  type: { name },
  values,
})

const numeric = (precision: number, scale: number, values: readonly string[]): TypeCase => ({
  label: `numeric(${precision},${scale})`,
  type: { name: 'numeric', precision, scale },
  values,
})

const list = (name: ScalarName, values: readonly string[]): TypeCase => ({
  label: `${name}[]`,
  type: { name: 'list', of: { name } },
  values,
})

/** The extremes of every type (spec E75). NULL is added to each. */
export const TYPE_CASES: readonly TypeCase[] = [
  scalar('bool', ['t', 'f']),
  scalar('int2', ['-32768', '0', '32767']),
  scalar('int4', ['-2147483648', '2147483647']),
  scalar('int8', ['-9223372036854775808', '9007199254740993', '9223372036854775807']),
  scalar('uint8', ['0', '9223372036854775808', '18446744073709551615']),
  numeric(10, 2, ['0.00', '-99999999.99', '12345678.10', 'NaN']),
  numeric(38, 10, [`${NINES_28}.9999999999`, '-0.0000000001', '0.0000000000']),
  numeric(38, 0, [NINES_38, `-${NINES_38}`]),
  numeric(65, 30, [`${'9'.repeat(35)}.${'9'.repeat(30)}`]),
  {
    label: 'numeric',
    type: { name: 'numeric' },
    values: ['1.10', '0', '0.000', '1e-20'.replace('1e-20', `0.${'0'.repeat(40)}1`), '1'.repeat(100), 'NaN'],
  },
  scalar('float4', [...FLOATS, '1e-45', '3.4028235e+38', '1.1754944e-38']),
  scalar('float8', [
    ...FLOATS,
    '5e-324',
    '1.7976931348623157e+308',
    '2.2250738585072014e-308',
    '0.30000000000000004',
  ]),
  scalar('text', ['', ' ', 'ä\u{1F600}', "it's", 'a\r\nb', '\u0001', 'NULL', '\\x41', '{}', '-infinity']),
  scalar('bytes', ['\\x', '\\x00', '\\x00ff7f80', '\\x2c220a5c']),
  scalar('date', [
    '1970-01-01',
    '2024-02-29',
    '0001-01-01',
    '0001-12-31 (BC)',
    '4714-11-24 (BC)',
    '9999-12-31',
    '10000-01-01',
    '5874897-12-31',
    'infinity',
    '-infinity',
  ]),
  scalar('time', ['00:00:00', '23:59:59.999999', '24:00:00', '12:34:56.7']),
  scalar('timetz', [
    '00:00:00+00',
    '23:59:59.999999+15:59:59',
    '12:00:00-15:59:59',
    '24:00:00+05:30',
    '12:00:00-08:00:07',
  ]),
  scalar('timestamp', MOMENTS),
  scalar('timestamptz', MOMENTS),
  scalar('interval', [
    '0 0 0',
    '1 0 0',
    '0 30 0',
    '0 0 2592000000000',
    '-1 1 -1',
    '2147483647 2147483647 9223372036854775807',
    '-2147483648 -2147483648 -9223372036854775808',
  ]),
  scalar('uuid', [
    '00000000-0000-0000-0000-000000000000',
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ]),
  scalar('json', [
    '{"a":1,"a":2}',
    '123456789012345678901234567890.1234567890',
    '  {"b" : 1 } ',
    'null',
    '"\\u00e4"',
    '[]',
  ]),
  scalar('jsonb', ['{"a": 1, "b": [1, 2.50]}', 'null', '123456789012345678901234567890.1234567890']),
  scalar('bit', ['0', '1', '0000', '101010101010101010101010101010101010101010101010101010101010101011', '']),
  scalar('opaque', ['[1,5)', "'a':1 'b':2", '(1,"a b",)']),
  list('int4', ['[]', '["1"]', '["1",null,"-2147483648"]', '{{1,2},{3,4}}', '[0:1]={1,2}']),
  list('int8', ['["9223372036854775807","-9223372036854775808","9007199254740993"]']),
  list('text', ['["","a\\"b","ä\\n",null,"null","{}"]', '[null]']),
  list('float8', ['["NaN","-0","Infinity","5e-324","0.1"]']),
  list('bool', ['["t","f",null]']),
  list('timestamptz', ['["2026-03-01 10:00:00.000001","infinity","0044-03-15 (BC) 10:00:00"]']),
  list('date', ['["2026-03-01","infinity","0044-03-15 (BC)"]']),
  list('uuid', ['["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]']),
  list('bytes', ['["\\\\x00ff",null]']),
  list('jsonb', ['["{\\"a\\": 1}",null]']),
  {
    label: 'numeric(10,2)[]',
    type: { name: 'list', of: { name: 'numeric', precision: 10, scale: 2 } },
    values: ['["1.10","-99999999.99"]'],
  },
]
