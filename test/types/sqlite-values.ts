/** A value of SQLite in a column of a declared type. */
export interface SqliteCase {
  readonly type: string
  /** The value as SQL. */
  readonly sql: string
  readonly duckdb: string
  readonly postgres: string
  /** What must be read back, where it is not what the driver hands out for the stored value. */
  readonly text?: string
  /** Stops by name; `text` is then what `columns: { v: text }` brings, if that can help. */
  readonly refused?: true
}

type Types = readonly [duckdb: string, postgres: string]
const INTEGER: Types = ['BIGINT', 'bigint']
const FLOAT: Types = ['DOUBLE', 'double precision']
const TEXT: Types = ['VARCHAR', 'text']
const BYTES: Types = ['BLOB', 'bytea']

type More = Pick<SqliteCase, 'text' | 'refused'>
const of = (
  type: string,
  [duckdb, postgres]: Types,
  ...values: readonly (string | readonly [string, More])[]
) =>
  values.map((value): SqliteCase => {
    const [sql, more] = typeof value === 'string' ? [value, {}] : value
    return { type, sql, duckdb, postgres, ...more }
  })

const refused = (text?: string): More => ({ refused: true, ...(text === undefined ? {} : { text }) })

/** SQLite's types with their extremes and with values of other classes (spec E75). NULL is added to each. */
export const SQLITE_VALUES: readonly SqliteCase[] = [
  ...of('INTEGER', INTEGER, '9223372036854775807', '-9223372036854775808', '9007199254740993', '0'),
  ...of(
    'INTEGER',
    INTEGER,
    ["'abc'", refused('abc')],
    ['1.5', refused('1.5')],
    ["x'00ff'", refused('\\x00ff')],
  ),
  ...of(
    'REAL',
    FLOAT,
    '5e-324',
    '1.7976931348623157e308',
    '0.1',
    '0.1 + 0.2',
    '1e15 + 0.3',
    '9e999',
    '-9e999',
  ),
  ...of('REAL', FLOAT, ['3', { text: '3' }], ["'abc'", refused('abc')]),
  ...of(
    'TEXT',
    TEXT,
    "''",
    "'NULL'",
    "'\\N'",
    "'\\.'",
    "' a '",
    "'12'",
    "'a' || char(13, 10) || 'b'",
    "'\"'",
  ),
  ...of(
    'TEXT',
    TEXT,
    'char(0x1F4A1)',
    "char(0xFFFD) || 'x'",
    "char(0xFEFF) || 'bom'",
    "'e' || char(0x301)",
    'char(1)',
  ),
  ...of(
    'TEXT',
    TEXT,
    ["x'41'", refused('\\x41')],
    ["'a' || char(0) || 'b'", refused()],
    ["CAST(x'41ff' AS TEXT)", refused()],
  ),
  ...of('VARCHAR(3)', TEXT, "'longer than three'"),
  ...of('BLOB', BYTES, "x''", "x'00'", "x'00ff5c4e2c220a'", ["'a'", refused('a')]),
  ...of(
    'BOOLEAN',
    ['BOOLEAN', 'boolean'],
    ['TRUE', { text: 't' }],
    ['0', { text: 'f' }],
    ['2', refused('2')],
  ),
  ...of('DECIMAL(10,2)', ['DECIMAL(10,2)', 'numeric(10,2)'], ['0.1', { text: '0.10' }], ['-99999999.99', {}]),
  ...of(
    'DECIMAL(10,2)',
    ['DECIMAL(10,2)', 'numeric(10,2)'],
    ['1.234', refused('1.234')],
    ['123456789', refused('123456789')],
  ),
  ...of('NUMERIC', ['VARCHAR', 'numeric'], ['1e30', { text: `1${'0'.repeat(30)}` }], '0.1', [
    "'abc'",
    refused('abc'),
  ]),
  ...of('JSON', ['JSON', 'json'], `'{"a":1,"a":12345678901234567890.10}'`, `' [1.0] '`),
  ...of('DATETIME', TEXT, "'2026-01-05 10:00:00.123456'"),
  ...of('DATETIME', INTEGER, '1767607200'),
  ...of('', BYTES, "x'0100'"),
  ...of('', TEXT, "'text'"),
  ...of('', FLOAT, '1.5'),
]

/** A stored value in the words both readers use. */
export function sqliteText(value: bigint | number | string | Buffer): string {
  return Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
}
