import { type More, of, REFUSED, type ValueCase } from './value-case.ts'

const FORTY_DIGITS = '1234567890123456789012345678901234567890.5'
const LONG = `${'9'.repeat(40)}.${'1'.repeat(60)}`
const [NINES_28, NINES_38] = ['9'.repeat(28), '9'.repeat(38)]
/** From 17 on intervals can be infinite; the text of what was their last finite value is read as `infinity` there. */
const infinite: More = { majors: (major) => major >= 17, refusedBetween: ({ to }) => to < 17 }
const lastFinite: More = { majors: (major) => major < 17, misreadBetween: ({ to }) => to >= 17 }

const NUMBERS = [
  ...of('boolean', [
    ['true', 'BOOLEAN t'],
    ['false', 'BOOLEAN f'],
  ]),
  ...of('smallint', [
    ['-32768', 'SMALLINT -32768'],
    ['32767', 'SMALLINT 32767'],
  ]),
  ...of('integer', [
    ['-2147483648', 'INTEGER -2147483648'],
    ['2147483647', 'INTEGER 2147483647'],
  ]),
  ...of('bigint', [
    ['-9223372036854775808', 'BIGINT -9223372036854775808'],
    ['9007199254740993', 'BIGINT 9007199254740993'],
    ['9223372036854775807', 'BIGINT 9223372036854775807'],
  ]),
  ...of('oid', [['4294967295', 'BIGINT 4294967295']], { targetType: 'bigint' }),
  ...of('xid8', [['18446744073709551615', 'UBIGINT 18446744073709551615']], { targetType: 'numeric(20,0)' }),
  ...of('numeric', [
    ['NaN', 'VARCHAR NaN'],
    ['Infinity', 'VARCHAR Infinity'],
    ['-Infinity', 'VARCHAR -Infinity'],
    [FORTY_DIGITS, `VARCHAR ${FORTY_DIGITS}`],
    [LONG, `VARCHAR ${LONG}`],
    ['1.00', 'VARCHAR 1.00'],
    ['1', 'VARCHAR 1'],
    ['1e-30', `VARCHAR 0.${'0'.repeat(29)}1`],
    ['-0.00', 'VARCHAR 0.00'],
  ]),
  ...of('numeric(10,2)', [
    ['1.5', 'DECIMAL(10,2) 1.50'],
    ['-99999999.99', 'DECIMAL(10,2) -99999999.99'],
    ['-0.01', 'DECIMAL(10,2) -0.01'],
    ['NaN', REFUSED],
  ]),
  ...of('numeric(38,10)', [[`${NINES_28}.9999999999`, `DECIMAL(38,10) ${NINES_28}.9999999999`]]),
  ...of('numeric(38,0)', [[`-${NINES_38}`, `DECIMAL(38,0) -${NINES_38}`]]),
  ...of('numeric(50,10)', [[FORTY_DIGITS, `VARCHAR ${FORTY_DIGITS}000000000`]]),
  ...of('numeric(3,5)', [['0.00999', 'DECIMAL(5,5) 0.00999']]),
  ...of('numeric(3,-2)', [['99900', 'DECIMAL(5,0) 99900']]),
  ...of('money', [['-92233720368547758.08', 'VARCHAR -92233720368547758.08']], {
    targetType: 'numeric',
    targetText: '-92233720368547758.08',
  }),
  ...of('cash', [['5', 'VARCHAR 5.00']], { targetType: 'numeric', targetText: '5.00' }),
  ...of('real', [
    ['-0', 'FLOAT -0'],
    ['NaN', 'FLOAT NaN'],
    ['Infinity', 'FLOAT Infinity'],
    ['-Infinity', 'FLOAT -Infinity'],
    ['1e-45', 'FLOAT 1.401298464324817e-45'],
    ['3.4028235e+38', 'FLOAT 3.4028234663852886e+38'],
    ['0.1', 'FLOAT 0.10000000149011612'],
  ]),
  ...of('double precision', [
    ['-0', 'DOUBLE -0'],
    ['NaN', 'DOUBLE NaN'],
    ['Infinity', 'DOUBLE Infinity'],
    ['-Infinity', 'DOUBLE -Infinity'],
    ['5e-324', 'DOUBLE 5e-324'],
    ['1.7976931348623157e+308', 'DOUBLE 1.7976931348623157e+308'],
    ['0.30000000000000004', 'DOUBLE 0.30000000000000004'],
  ]),
]

const TEXTS = [
  ...of(
    'text',
    [
      '',
      '\\N',
      '\\.',
      'NULL',
      ' a ',
      '"',
      'it\'s, "quoted"',
      'a\r\nb\tc',
      '\u0001',
      '\ufeffbom',
      'ä 🜁',
      'e\u0301',
      '\ufffd',
    ].map((text) => [text, `VARCHAR ${text}`]),
  ),
  ...of('character varying(5)', [['ab  ', 'VARCHAR ab  ']]),
  ...of('character(5)', [
    ['ab', 'VARCHAR ab   '],
    ['', 'VARCHAR      '],
  ]),
  ...of('bpchar', [['ab  ', 'VARCHAR ab  ']]),
  ...of('"char"', [['x', 'VARCHAR x']]),
  ...of('name', [['x y', 'VARCHAR x y']]),
  ...of('citext', [['Ab', 'VARCHAR Ab']], { targetType: 'text' }),
  ...of('bytea', [
    ['', 'BLOB \\x'],
    ['\\x00', 'BLOB \\x00'],
    ['\\x00ff5c4e2c220a', 'BLOB \\x00ff5c4e2c220a'],
  ]),
  ...of('uuid', [['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', 'UUID a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']]),
  ...of('bit(1)', [['1', 'BIT 1']]),
  ...of('bit(9)', [['000000001', 'BIT 000000001']]),
  ...of('bit varying', [
    ['0000', 'BIT 0000'],
    ['1'.repeat(130), `BIT ${'1'.repeat(130)}`],
    ['', REFUSED],
  ]),
  ...of('json', [
    ['{"a":1,"a":2}', 'JSON {"a":1,"a":2}'],
    [' {"b" : 1.0,\n"a":12345678901234567890123.10} ', 'JSON  {"b" : 1.0,\n"a":12345678901234567890123.10} '],
    ['null', 'JSON null'],
    ['"\\u0000"', 'JSON "\\u0000"'],
  ]),
  ...of('jsonb', [
    ['{"b": 1.00, "a": []}', 'JSON {"a": [], "b": 1.00}'],
    ['null', 'JSON null'],
    ['1e30', `JSON 1${'0'.repeat(30)}`],
  ]),
  ...of('xml', [['<a b="1"/>', 'VARCHAR <a b="1"/>']]),
]

const TIMES = [
  ...of('date', [
    ['infinity', 'DATE infinity'],
    ['-infinity', 'DATE -infinity'],
    ['0001-01-01', 'DATE -719162'],
    ['0001-12-31 BC', 'DATE -719163'],
    ['4714-11-24 BC', 'DATE -2440588'],
    ['10000-01-01', 'DATE 2932897'],
    ['5874897-12-31', 'DATE 2145042905'],
  ]),
  ...of('time without time zone', [
    ['00:00:00', 'TIME 0'],
    ['23:59:59.999999', 'TIME 86399999999'],
    ['24:00:00', 'TIME 86400000000'],
  ]),
  ...of('time(0) without time zone', [['12:00:01', 'TIME 43201000000']]),
  ...of('time with time zone', [
    ['12:00:00.5+05:30', 'VARCHAR 12:00:00.5+05:30'],
    ['24:00:00-15:59:59', 'VARCHAR 24:00:00-15:59:59'],
    ['00:00:00+00', 'VARCHAR 00:00:00+00'],
  ]),
  ...of('timestamp without time zone', [
    ['infinity', 'TIMESTAMP infinity'],
    ['-infinity', 'TIMESTAMP -infinity'],
    ['1969-12-31 23:59:59.999999', 'TIMESTAMP -1'],
    ['0044-03-15 12:30:00.5 BC', 'TIMESTAMP -63517778999500000'],
    ['4714-11-24 00:00:00 BC', 'TIMESTAMP -210866803200000000'],
    ['9999-12-31 23:59:59.999999', 'TIMESTAMP 253402300799999999'],
    ['294247-01-10 04:00:54.775806', 'TIMESTAMP 9223372036854775806'],
    ['294247-01-10 04:00:54.775807', REFUSED],
    ['294276-12-31 23:59:59.999999', REFUSED],
  ]),
  ...of('timestamp(3) without time zone', [['2026-03-01 10:00:00.061', 'TIMESTAMP 1772359200061000']]),
  ...of('timestamp with time zone', [
    ['infinity', 'TIMESTAMP WITH TIME ZONE infinity'],
    ['-infinity', 'TIMESTAMP WITH TIME ZONE -infinity'],
    ['2026-03-01 10:00:00.061789+05:30', 'TIMESTAMP WITH TIME ZONE 1772339400061789'],
    ['0044-03-15 12:30:00+00 BC', 'TIMESTAMP WITH TIME ZONE -63517779000000000'],
    ['4714-11-24 00:00:00+00 BC', 'TIMESTAMP WITH TIME ZONE -210866803200000000'],
    ['294247-01-10 04:00:54.775806+00', 'TIMESTAMP WITH TIME ZONE 9223372036854775806'],
    ['294276-12-31 23:59:59.999999+00', REFUSED, { wireText: '294276-12-31 23:59:59.999999' }],
  ]),
  ...of('interval', [
    ['1 year 2 mons -3 days -04:05:06.789012', 'INTERVAL 14 -3 -14706789012'],
    ['1 mon', 'INTERVAL 1 0 0'],
    ['30 days', 'INTERVAL 0 30 0'],
    ['720:00:00', 'INTERVAL 0 0 2592000000000'],
    ['-178956970 years -8 mons', 'INTERVAL -2147483648 0 0'],
    ['2147483647 days 2562047788:00:54.775807', 'INTERVAL 0 2147483647 9223372036854775807'],
    [
      '178956970 years 7 mons 2147483647 days 2562047788:00:54.775806',
      'INTERVAL 2147483647 2147483647 9223372036854775806',
    ],
    [
      '178956970 years 7 mons 2147483647 days 2562047788:00:54.775807',
      'INTERVAL 2147483647 2147483647 9223372036854775807',
      lastFinite,
    ],
    ['infinity', REFUSED, infinite],
    ['-infinity', REFUSED, infinite],
  ]),
  ...of('interval year to month', [['1 year 2 mons', 'INTERVAL 14 0 0']]),
]

/** Numbers, texts and times with their extremes (spec E75). */
export const SCALARS: readonly ValueCase[] = [...NUMBERS, ...TEXTS, ...TIMES]
