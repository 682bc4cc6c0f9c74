import { of, REFUSED, type ValueCase } from './value-case.ts'

/** Types of the values below that the server does not bring with it. */
export const OWN_TYPES = `
  CREATE TYPE mood AS ENUM ('ok', 'so so', '', 'a,"b"');
  CREATE DOMAIN posint AS int CHECK (value > 0);
  CREATE DOMAIN year AS integer CHECK (value BETWEEN 1901 AND 2155);
  CREATE DOMAIN words AS text[];
  CREATE DOMAIN cash AS money;
  CREATE TYPE pair AS (a int, b text);
  CREATE EXTENSION citext; CREATE EXTENSION hstore;`

const FORTY_DIGITS = '1234567890123456789012345678901234567890.5'

const same = (type: string, ...texts: readonly string[]) =>
  of(
    type,
    texts.map((text) => [text, `VARCHAR ${text}`]),
  )

const OPAQUE = [
  ...same('inet', '10.0.0.1/8', '::1'),
  ...same('cidr', '10.0.0.0/8'),
  ...same('macaddr', '08:00:2b:01:02:03'),
  ...same('macaddr8', '08:00:2b:01:02:03:04:05'),
  ...same('int4range', '[1,5)', 'empty', '(,)'),
  ...same('numrange', '[1.0,2.00)'),
  ...same('tstzrange', '["2026-01-01 00:00:00+00",infinity)'),
  ...same('int4multirange', '{[1,3),[5,9)}', '{}'),
  ...same('tsvector', "'cat':2A,4 'fat':1", ''),
  ...same('tsquery', "'fat' & !'rat'"),
  ...same('point', '(-0,5e-324)', '(NaN,Infinity)'),
  ...same('line', '{1,-1,0}'),
  ...same('lseg', '[(0,0),(1,1)]'),
  ...same('box', '(1,1),(0,0)'),
  ...same('path', '[(0,0),(1,1)]', '((0,0),(1,1))'),
  ...same('polygon', '((0,0),(1,1),(1,0))'),
  ...same('circle', '<(0,0),1>'),
  ...same('jsonpath', '$."a"[*]'),
  ...same('pg_lsn', 'FFFFFFFF/FFFFFFFF'),
  ...same('pg_snapshot', '10:20:10,14'),
  ...of('regclass', [['pg_class', 'VARCHAR pg_class']], { targetType: 'text' }),
  ...of(
    'mood',
    ['so so', '', 'a,"b"'].map((text) => [text, `VARCHAR ${text}`]),
    { targetType: 'text' },
  ),
  ...of('posint', [['7', 'INTEGER 7']], { targetType: 'integer' }),
  ...of('year', [['1901', 'INTEGER 1901']], { targetType: 'integer' }),
  ...of(
    'pair',
    ['(1,"a""b")', '(,)', '(,"")'].map((text) => [text, `VARCHAR ${text}`]),
    { targetType: 'text' },
  ),
  ...of('hstore', [['"a"=>"1", "b"=>NULL', 'VARCHAR "a"=>"1", "b"=>NULL']], { targetType: 'text' }),
]

const LISTS = [
  ...of('integer[]', [
    ['{}', 'INTEGER[] []'],
    ['{1,NULL,-2147483648}', 'INTEGER[] [1, null, -2147483648]'],
    ['{NULL}', 'INTEGER[] [null]'],
    ['{{1,2},{3,4}}', REFUSED],
    ['[0:1]={7,8}', REFUSED],
  ]),
  ...of('bigint[]', [['{9223372036854775807}', 'BIGINT[] [9223372036854775807]']]),
  ...of('boolean[]', [['{t,f,NULL}', 'BOOLEAN[] [t, f, null]']]),
  ...of('text[]', [
    [
      '{"",NULL,"NULL","a\\"b\\\\c","ä,{}","x\ny","\\\\N"}',
      'VARCHAR[] [, null, NULL, a"b\\c, ä,{}, x\ny, \\N]',
    ],
    ['{{a},{b}}', REFUSED],
  ]),
  ...of('character(3)[]', [['{a,bcd}', 'VARCHAR[] [a  , bcd]']]),
  ...of('double precision[]', [['{-0,NaN,5e-324,Infinity}', 'DOUBLE[] [-0, NaN, 5e-324, Infinity]']]),
  ...of('numeric[]', [[`{1.00,NaN,${FORTY_DIGITS}}`, `VARCHAR[] [1.00, NaN, ${FORTY_DIGITS}]`]]),
  ...of('numeric(5,2)[]', [['{1.5,-999.99}', 'DECIMAL(5,2)[] [1.50, -999.99]']]),
  ...of('bytea[]', [['{"\\\\x00ff","\\\\x"}', 'BLOB[] [\\x00ff, \\x]']]),
  ...of('date[]', [['{2026-03-01,infinity,"0044-03-15 BC"}', 'DATE[] [20513, infinity, -735160]']]),
  ...of('timestamp with time zone[]', [
    [
      '{"2026-03-01 10:00:00.000001+00",-infinity,"0044-03-15 12:30:00+00 BC"}',
      'TIMESTAMP WITH TIME ZONE[] [1772359200000001, -infinity, -63517779000000000]',
    ],
    ['{"294276-12-31 23:59:59+00"}', REFUSED, { wireText: '["294276-12-31 23:59:59"]' }],
  ]),
  ...of('interval[]', [['{"1 mon -1 days","24:00:00"}', 'INTERVAL[] [1 -1 0, 0 0 86400000000]']]),
  ...of('uuid[]', [
    ['{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}', 'UUID[] [a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11]'],
  ]),
  ...of('jsonb[]', [['{"{\\"a\\": 1.0}","null"}', 'JSON[] [{"a": 1.0}, null]']]),
  ...of('int4range[]', [['{"[1,5)",empty}', 'VARCHAR[] [[1,5), empty]']]),
  ...of('box[]', [['{(1,1),(0,0);(3,3),(2,2)}', 'VARCHAR[] [(1,1),(0,0), (3,3),(2,2)]']]),
  ...of('money[]', [['{1.5}', 'VARCHAR[] [1.50]']], { targetType: 'numeric[]', targetText: '{1.50}' }),
  ...of('mood[]', [['{"so so",""}', 'VARCHAR[] [so so, ]']], { targetType: 'text[]' }),
  ...of('words', [['{a,NULL}', 'VARCHAR[] [a, null]']], { targetType: 'text[]' }),
  ...of('pair[]', [['{"(1,a)"}', 'VARCHAR[] [(1,a)]']], { targetType: 'text[]' }),
]

/** Arrays, and types whose text is their value (spec E75). */
export const COMPOUNDS: readonly ValueCase[] = [...OPAQUE, ...LISTS]
