import type { CanonicalType } from '../../src/kernel/fingerprint/comparison.ts'

/** One value and its text (F36): the wire's notation, and a literal for each engine that has the value. */
export interface SingleValue {
  readonly type: CanonicalType
  readonly wire: string
  readonly text: string
  /** As SQL; absent where the engine has no such value. */
  readonly postgres?: string
  readonly duckdb?: string
}

const of = (
  type: CanonicalType,
  wire: string,
  text: string,
  postgres?: string,
  duckdb: string | null | undefined = postgres,
): SingleValue => ({
  type,
  wire,
  text,
  ...(postgres === undefined ? {} : { postgres }),
  ...(duckdb == null ? {} : { duckdb }),
})

const name = <T extends Exclude<CanonicalType['name'], 'decimal' | 'list'>>(type: T): CanonicalType => ({
  name: type,
})
const decimal = (scale: number): CanonicalType => ({ name: 'decimal', scale })
const list = (type: CanonicalType): CanonicalType => ({ name: 'list', of: type })

const [INTEGER, INSTANT, WALL, DATE, TIME] = [
  name('integer'),
  name('instant'),
  name('wall_time'),
  name('date'),
  name('time'),
]
const [FLOAT8, FLOAT4, TEXT, BYTES, CHAR] = [
  name('float8'),
  name('float4'),
  name('text'),
  name('bytes'),
  name('char'),
]
const NINES = '99999999999999999999999999999999.9999'
const UUID = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'

const both = (type: string, text: string): string => `'${text}'::${type}`
const double = (text: string): string => `'${text}'::float8`
const single = (text: string): string => `'${text}'::float4`
/** `0044-03-15 (BC) 12:00:00` is read by both engines. */
const moment = (type: 'timestamptz' | 'timestamp', wire: string): string =>
  both(type, type === 'timestamptz' && !wire.includes('infinity') ? `${wire}+00` : wire)
const instant = (wire: string, text: string): SingleValue[] => [
  of(INSTANT, wire, text, moment('timestamptz', wire)),
  of(WALL, wire, text, moment('timestamp', wire)),
]

export const SINGLE_VALUES: readonly SingleValue[] = [
  of(INTEGER, '-9223372036854775808', '-9223372036854775808', "'-9223372036854775808'::bigint"),
  of(INTEGER, '18446744073709551615', '18446744073709551615', undefined, "'18446744073709551615'::ubigint"),
  of(decimal(4), NINES, NINES, `'${NINES}'::decimal(38,4)`),
  of(decimal(4), `-${NINES}`, `-${NINES}`, `'-${NINES}'::decimal(38,4)`),
  of(decimal(4), '-0.00', '0.0000', "'-0.00'::decimal(10,2)"),
  of(decimal(0), '-12', '-12', "'-12'::decimal(5,0)"),
  of(decimal(5), '0.00999', '0.00999', "'0.00999'::decimal(5,5)"),
  of(decimal(38), `0.${'9'.repeat(38)}`, `0.${'9'.repeat(38)}`, `'0.${'9'.repeat(38)}'::decimal(38,38)`),
  of(decimal(2), 'NaN', 'NaN', "'NaN'::decimal(10,2)", null),
  of(name('numeric'), '1.10', '1.10', "'1.10'::numeric", "'1.10'::varchar"),
  of(name('numeric'), 'NaN', 'NaN', "'NaN'::numeric", "'NaN'::varchar"),
  of(name('boolean'), 't', '1', 'true'),
  of(name('boolean'), 'f', '0', 'false'),
  ...instant('2025-11-28 14:22:09.123456', '1764339729123456'),
  ...instant('1969-12-31 23:59:59.999999', '-1'),
  ...instant('1970-01-01 00:00:00', '0'),
  ...instant('0001-01-01 00:00:00', '-62135596800000000'),
  ...instant('1582-10-10 00:00:00', '-12219724800000000'),
  ...instant('1900-03-01 00:00:00', '-2203891200000000'),
  ...instant('0044-03-15 (BC) 12:00:00', '-63517780800000000'),
  ...instant('9999-12-31 23:59:59.999999', '253402300799999999'),
  ...instant('294247-01-10 04:00:54.775806', '9223372036854775806'),
  of(
    INSTANT,
    '294276-12-31 23:59:59.999999',
    'z294276-12-31 23:59:59.999999+00',
    "'294276-12-31 23:59:59.999999+00'::timestamptz",
    null,
  ),
  of(
    WALL,
    '294276-12-31 23:59:59.999999',
    'z294276-12-31 23:59:59.999999',
    "'294276-12-31 23:59:59.999999'::timestamp",
    null,
  ),
  ...instant('infinity', 'zinfinity'),
  ...instant('-infinity', 'z-infinity'),
  ...(
    [
      ['0001-01-01', '-719162'],
      ['2024-02-29', '19782'],
      ['9999-12-31', '2932896'],
      ['1582-10-10', '-141432'],
      ['1900-03-01', '-25508'],
      ['0001-12-31 (BC)', '-719163'],
      ['5874897-12-31', '2145042905'],
      ['infinity', 'zinfinity'],
      ['-infinity', 'z-infinity'],
    ] as const
  ).map(([wire, text]) => of(DATE, wire, text, both('date', wire))),
  of(TIME, '24:00:00', '86400000000', "'24:00:00'::time"),
  of(TIME, '12:34:56.7', '45296700000', "'12:34:56.7'::time"),
  of(name('interval'), '14 -3 -14706789012', '14 -3 -14706789012', ...intervals(14, -3, '-14706789012')),
  of(name('interval'), '0 0 0', '0 0 0', ...intervals(0, 0, '0')),
  of(
    name('interval'),
    '-2147483648 2147483647 9223372036854775807',
    '-2147483648 2147483647 9223372036854775807',
    "'-178956970 years -8 mons 2147483647 days 2562047788:00:54.775807'::interval",
    'to_months(-2147483648) + to_days(2147483647) + to_microseconds(9223372036854775807)',
  ),
  ...(
    [
      ['0.1', '3fb999999999999a'],
      ['-1.5', 'bff8000000000000'],
      ['-0', '0000000000000000'],
      ['0', '0000000000000000'],
      ['NaN', '7ff8000000000000'],
      ['Infinity', '7ff0000000000000'],
      ['-Infinity', 'fff0000000000000'],
      ['5e-324', '0000000000000001'],
      ['1e+300', '7e37e43c8800759c'],
    ] as const
  ).map(([wire, text]) => of(FLOAT8, wire, text, double(wire))),
  ...(
    [
      ['0.1', '3dcccccd'],
      ['16777217', '4b800000'],
      ['-0', '00000000'],
      ['NaN', '7fc00000'],
      ['-Infinity', 'ff800000'],
      ['1e-45', '00000001'],
    ] as const
  ).map(([wire, text]) => of(FLOAT4, wire, text, single(wire))),
  ...['', 'N', 'v1:N', 'a;b:c'].map((text) => of(TEXT, text, `v${text.length}:${text}`, both('text', text))),
  of(TEXT, '\u00E9'.repeat(5000), 'w10000:f64053dab5203d25973cf245b458c7c2', "repeat('\u00E9', 5000)"),
  of(TEXT, '\u00E9'.repeat(2048), `v4096:${'\u00E9'.repeat(2048)}`, "repeat('\u00E9', 2048)"),
  of(TEXT, 'x'.repeat(4097), 'w4097:88751dd296563726278c2d57ab7549e4', "repeat('x', 4097)"),
  of(CHAR, 'ab   ', 'v2:ab', "'ab'::char(5)", "'ab   '"),
  of(CHAR, '     ', 'v0:', "''::char(5)", "'     '"),
  of(BYTES, '\\x', 'v0:', "'\\x'::bytea", "''::blob"),
  of(BYTES, '\\x00', 'v1:00', "'\\x00'::bytea", "unhex('00')"),
  of(BYTES, '\\x00ff10', 'v3:00ff10', "'\\x00ff10'::bytea", "unhex('00ff10')"),
  of(
    BYTES,
    `\\x${'00'.repeat(4097)}`,
    'w4097:e1f1691cadd21fe149b61bd80bbdae84',
    "decode(repeat('00', 4097), 'hex')",
    "unhex(repeat('00', 4097))",
  ),
  of(name('bit'), '00101', '00101', "B'00101'", "'00101'::bit"),
  of(name('uuid'), UUID, UUID.toLowerCase(), `'${UUID}'::uuid`),
  of(name('json'), '{"a":1.0}', 'v9:{"a":1.0}', `'{"a":1.0}'::json`),
  of(name('printed'), '[1,5)', 'v5:[1,5)', "'[1,5)'::int4range", "'[1,5)'"),
  of(list(INTEGER), '[]', 'v2:0:', "'{}'::int[]", '[]::int[]'),
  of(list(INTEGER), '["1",null,"-2"]', 'v8:3:1;N;-2', "'{1,NULL,-2}'::int[]", '[1, null, -2]'),
  of(
    list(TEXT),
    '["",null,"NULL","a;b"]',
    'v22:4:v0:;N;v4:NULL;v3:a;b',
    `'{"",NULL,"NULL","a;b"}'::text[]`,
    "['', null, 'NULL', 'a;b']",
  ),
  of(list(INTEGER), '{{1,2},{3,4}}', 'v13:{{1,2},{3,4}}', "'{{1,2},{3,4}}'::int[]", null),
  of(list(INTEGER), '[0:1]={7,8}', 'v11:[0:1]={7,8}', "'[0:1]={7,8}'::int[]", null),
]

function intervals(months: number, days: number, us: string): [string, string] {
  return [
    `make_interval(months => ${months}, days => ${days}) + '${us} microseconds'::interval`,
    `to_months(${months}) + to_days(${days}) + to_microseconds(${us})`,
  ]
}
