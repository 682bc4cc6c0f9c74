import { describe, expect, test } from 'vitest'
import { collect, openSession, openSource, readTable } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import type { WireFormat } from '../../source.ts'

/** Type, literal, what plain_csv and pg_text carry (the same unless given), as a CSV field. */
type Case = readonly [type: string, literal: string, plain: string, own?: string]

const DIGITS = '1234567890123456789012345678901234567890.5'
const CASES: readonly Case[] = [
  ['boolean', 'true', 't'],
  ['smallint', '-32768', '-32768'],
  ['bigint', '-9223372036854775808', '-9223372036854775808'],
  ['xid8', "'18446744073709551615'", '18446744073709551615'],
  ['oid', "'4294967295'", '4294967295'],
  ['numeric', "'NaN'", 'NaN'],
  ['numeric', "'-Infinity'", '-Infinity'],
  ['numeric', DIGITS, DIGITS],
  ['numeric(10,2)', '1.5', '1.50'],
  ['real', "'1e-45'", '1e-45'],
  ['double precision', "'-0'", '-0'],
  ['double precision', "'NaN'", 'NaN'],
  ['double precision', "'-Infinity'", '-Infinity'],
  ['double precision', "'5e-324'", '5e-324'],
  ['double precision', '0.1::float8 + 0.2::float8', '0.30000000000000004'],
  ['text', "''", '""'],
  ['text', 'NULL', ''],
  ['text', "'\\N'", '\\N'],
  ['text', `E'a\\nb "quoted", ä 🜁'`, '"a\nb ""quoted"", ä 🜁"'],
  ['text', "'\\.'", '\\.'],
  ['char(5)', "'ab'", 'ab   '],
  ['"char"', "'x'", 'x'],
  ['name', "'x'", 'x'],
  ['bytea', "''", '\\x'],
  ['bytea', "'\\x00ff5c'", '\\x00ff5c'],
  ['date', "'infinity'", 'infinity'],
  ['date', "'0044-03-15 BC'", '0044-03-15 (BC)', '0044-03-15 BC'],
  ['date', "'4714-11-24 BC'", '4714-11-24 (BC)', '4714-11-24 BC'],
  ['date', "'5874897-12-31'", '5874897-12-31'],
  ['time', "'24:00:00'", '24:00:00'],
  ['timetz', "'12:00:00.5+05:30'", '12:00:00.5+05:30'],
  ['timestamp', "'-infinity'", '-infinity'],
  ['timestamp', "'294276-12-31 23:59:59.999999'", '294276-12-31 23:59:59.999999'],
  ['timestamp', "'0001-01-01'", '0001-01-01 00:00:00'],
  ['timestamp', "'0044-03-15 12:30:00.5 BC'", '0044-03-15 (BC) 12:30:00.500000', '0044-03-15 12:30:00.5 BC'],
  ['timestamp', "'4714-11-24 BC'", '4714-11-24 (BC) 00:00:00.000000', '4714-11-24 00:00:00 BC'],
  ['timestamptz', "'infinity'", 'infinity'],
  [
    'timestamptz',
    "'2025-01-01 12:00:00.061789+05:30'",
    '2025-01-01 06:30:00.061789',
    '2025-01-01 06:30:00.061789+00',
  ],
  [
    'timestamptz',
    "'294276-12-31 23:59:59.999999+00'",
    '294276-12-31 23:59:59.999999',
    '294276-12-31 23:59:59.999999+00',
  ],
  [
    'timestamptz',
    "'4714-11-24 00:00:00+00 BC'",
    '4714-11-24 (BC) 00:00:00.000000',
    '4714-11-24 00:00:00+00 BC',
  ],
  [
    'interval',
    "'1 year 2 mons -3 days -04:05:06.789012'",
    '14 -3 -14706789012',
    '1 year 2 mons -3 days -04:05:06.789012',
  ],
  ['interval', "'-1 years -11 mons 3 days'", '-23 3 0', '-1 years -11 mons +3 days'],
  ['interval', "'-2562047788:00:54.775807'", '0 0 -9223372036854775807', '-2562047788:00:54.775807'],
  ['interval', "'2562047788:00:54.775807'", '0 0 9223372036854775807', '2562047788:00:54.775807'],
  ['interval', "'0'", '0 0 0', '00:00:00'],
  ['uuid', "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ['json', `'{"a":1.0,"a":12345678901234567890123}'`, '"{""a"":1.0,""a"":12345678901234567890123}"'],
  ['jsonb', `'{"a":1.0}'`, '"{""a"": 1.0}"'],
  ['bit(3)', "B'101'", '101'],
  ['varbit', "B''", '""'],
  ['money', "'-12.30'", '-12.30'],
  ['inet', "'10.0.0.1/8'", '10.0.0.1/8'],
  ['int4range', "'[1,5)'", '"[1,5)"'],
  ['tsvector', `'fat & rat'::text::tsvector`, "'&' 'fat' 'rat'"],
  ['xml', "'<a/>'", '<a/>'],
  ['mood', "'so so'", 'so so'],
  ['posint', '7', '7'],
  ['cash', "'5'", '5.00'],
  ['pair', "ROW(1, 'a\"b')", `"(1,""a""""b"")"`],
  ['int[]', "'{}'", '[]', '{}'],
  ['int[]', 'NULL', ''],
  ['int[]', "'{1,NULL,3}'", '"[""1"",null,""3""]"', '"{1,NULL,3}"'],
  ['int[]', "'{{1,2},{3,4}}'", '"{{1,2},{3,4}}"'],
  ['int[]', "'[0:1]={7,8}'", '"[0:1]={7,8}"'],
  [
    'text[]',
    `ARRAY['', 'NULL', NULL, 'a"b\\c', 'ä,{}', E'x\\ny']`,
    '"["""",""NULL"",null,""a\\""b\\\\c"",""ä,{}"",""x\\ny""]"',
    '"{"""",""NULL"",NULL,""a\\""b\\\\c"",""ä,{}"",""x\ny""}"',
  ],
  ['char(3)[]', "'{a,bcd}'", '"[""a  "",""bcd""]"', '"{""a  "",bcd}"'],
  ['boolean[]', "'{t,f}'", '"[""t"",""f""]"', '"{t,f}"'],
  ['float8[]', "'{-0,NaN,5e-324}'", '"[""-0"",""NaN"",""5e-324""]"', '"{-0,NaN,5e-324}"'],
  ['bytea[]', `ARRAY['\\x00ff'::bytea]`, '"[""\\\\x00ff""]"', '"{""\\\\x00ff""}"'],
  [
    'timestamptz[]',
    `ARRAY['2025-01-01 00:00+01','infinity','0044-03-15 BC',NULL]::timestamptz[]`,
    '"[""2024-12-31 23:00:00"",""infinity"",""0044-03-15 (BC) 00:00:00.000000"",null]"',
    '"{""2024-12-31 23:00:00+00"",infinity,""0044-03-15 00:00:00+00 BC"",NULL}"',
  ],
  ['interval[]', "ARRAY['1 mon -1 day'::interval]", '"[""1 -1 0""]"', '"{""1 mon -1 days""}"'],
  ['money[]', "'{1.5}'", '"[""1.50""]"', '{1.50}'],
  [
    'box[]',
    "'{(1,1),(0,0);(3,3),(2,2)}'",
    '"[""(1,1),(0,0)"",""(3,3),(2,2)""]"',
    '"{(1,1),(0,0);(3,3),(2,2)}"',
  ],
  ['mood[]', "ARRAY['so so']::mood[]", '"[""so so""]"', '"{""so so""}"'],
  ['jsonb[]', `ARRAY['{"a": [1]}'::jsonb]`, '"[""{\\""a\\"": [1]}""]"', '"{""{\\""a\\"": [1]}""}"'],
]

const SINCE_17: readonly Case[] = [['interval', "'-infinity'", '-infinity']]

describe.each(postgresServers())('values of PostgreSQL $major', (server) => {
  const cases = server.major >= 17 ? [...CASES, ...SINCE_17] : CASES

  test('E75: every extreme travels as the wire formats say', async () => {
    const url = await freshDatabase(server, 'types')
    const sql = await openSession(url)
    await sql(`CREATE TYPE mood AS ENUM ('ok', 'so so'); CREATE DOMAIN posint AS int CHECK (value > 0);
      CREATE DOMAIN cash AS money; CREATE TYPE pair AS (a int, b text)`)
    const columns = cases.map(([type], i) => `c${i} ${type}`)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz NOT NULL, ${columns.join(', ')})`)
    const literals = cases.map(([type, literal]) => `(${literal})::${type}`)
    await sql(`INSERT INTO t SELECT 1, '2025-01-01Z', ${literals.join(', ')}`)
    const source = openSource(
      `${url}?options=-cintervalstyle%3Diso_8601%20-cdatestyle%3DSQL,DMY%20-ctimezone%3DAsia/Tokyo`,
    )
    for (const format of ['plain_csv', 'pg_text'] satisfies WireFormat[]) {
      const { reader } = await readTable(source, 'public.t', { column: 'u' }, { format })
      const upper = { kind: 'timestamptz', value: 10n ** 16n } as const
      const row = await collect(reader.read({ kind: 'range', range: { lower: undefined, upper } }).bytes)
      const fields = (format === 'pg_text' ? splitText(row) : splitRow(row).map(csvValue)).slice(2)
      const found = cases.map(([type, literal], i) => `${type} ${literal}: ${fields[i]}`)
      const expected = cases.map(
        ([type, literal, plain, own]) =>
          `${type} ${literal}: ${csvValue(format === 'pg_text' ? (own ?? plain) : plain)}`,
      )
      expect(found).toEqual(expected)
      await reader.close()
    }
  })

  test('asText leaves a column in its own notation', async () => {
    const url = await freshDatabase(server, 'as text')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz NOT NULL, d interval, m money);
      INSERT INTO t VALUES (1, '2025-01-01Z', '1 year', 3)`)
    const { reader } = await readTable(
      openSource(url),
      'public.t',
      { column: 'u' },
      { asText: ['d', 'u', 'm'] },
    )
    const upper = { kind: 'timestamptz', value: 10n ** 16n } as const
    const { bytes } = reader.read({ kind: 'range', range: { lower: undefined, upper } })
    expect(await collect(bytes)).toBe('1,2025-01-01 00:00:00+00,1 year,$3.00\n')
  })
})

/** Fields of one CSV row as they stand, quotes included. */
const csvValue = (field: string): string | null =>
  field === '' ? null : field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field

/** The values of a line of COPY text; the cases hold no other escapes. */
function splitText(line: string): (string | null)[] {
  const unescaped = (field: string) =>
    field.replaceAll(/\\(.)/g, (_, char) => ({ n: '\n', r: '\r', t: '\t' })[char as string] ?? char)
  const fields = line.replace(/\n$/, '').split('\t')
  return fields.map((field) => (field === '\\N' ? null : unescaped(field)))
}

function splitRow(row: string): string[] {
  return row.replace(/\n$/, '').match(/(?<=^|,)(?:"(?:[^"]|"")*"|[^,"]*)(?=,|$)/gs) ?? []
}
