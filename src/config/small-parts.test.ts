// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import { expect, test } from 'vitest'
import { parseByteSize } from './byte-size.ts'
import {
  filePathOf,
  holdsSecret,
  redactUrl,
  resolveFileUrl,
  schemeOf,
  secretsOf,
  withPasswordFrom,
} from './connection-url.ts'
import { parseDurationMs, parseDurationUs } from './duration.ts'
import { interpolate } from './interpolate.ts'
import { configJsonSchema } from './json-schema.ts'
import { nearest } from './nearest.ts'
import { formatTableName, parseTableName } from './table-name.ts'

test.each([
  ['10s', 10_000_000n],
  ['1h30m', 5_400_000_000n],
  ['1.5h', 5_400_000_000n],
  ['250 ms', 250_000n],
  ['0.000001s', 1n],
  ['7d', 604_800_000_000n],
])('the duration %s', (text, us) => {
  expect(parseDurationUs(text)).toBe(us)
})

test.each(['', '10', 's', '-1s', '1.5us', '1 year', '1e3s', '１s', `${'10s '.repeat(2)}x`])(
  'no duration: %j',
  (text) => {
    expect(parseDurationUs(text)).toBeUndefined()
  },
)

test('milliseconds are whole', () => {
  expect(parseDurationMs('1us')).toBeUndefined()
  expect(parseDurationMs('1.5s')).toBe(1500)
})

test('byte sizes', () => {
  expect(['512MB', '2GiB', '1.5 kb', '10B'].map(parseByteSize)).toEqual([512e6, 2 ** 31, 1500, 10])
  expect(['0MB', '5', 'MB', '-1MB', '1.2.3MB', '1XB'].map(parseByteSize)).toEqual(Array(6).fill(undefined))
})

test('the nearest word', () => {
  expect(nearest('postion', ['column', 'position'])).toBe('position')
  expect(nearest('rnu', ['run', 'runs', 'plan'])).toBe('run')
  expect(nearest('zzz', ['run', 'plan'])).toBeUndefined()
})

test('interpolation', () => {
  const environment = { A: 'a', EMPTY: '' }
  const text = (from: string) => interpolate(from, environment)
  expect(text('x${A}y${A}')).toEqual({ kind: 'text', text: 'xaya' })
  expect(text('${EMPTY:-d}${B:-}')).toEqual({ kind: 'text', text: 'd' })
  expect(text('$${A} $A {A}')).toEqual({ kind: 'text', text: '${A} $A {A}' })
  expect(text('${B}')).toEqual({ kind: 'unset', name: 'B' })
  expect(text('${a b}')).toEqual({ kind: 'malformed', reference: '${a b}' })
})

test('table names', () => {
  for (const name of ['orders', 'public.orders', '"odd.schema".t', '"a ""b"""."c d"']) {
    expect(formatTableName(parseTableName(name)!)).toBe(name)
  }
  expect(['', 'a.b.c', 'a b', '.a', 'a.', '"a', '""'].map(parseTableName)).toEqual(Array(7).fill(undefined))
})

test.each([
  ['postgres://u:pass@h/d', 'postgres://u:***@h/d', ['pass']],
  [
    'postgres://u:p%40x@h:5432/d?sslmode=require',
    'postgres://u:***@h:5432/d?sslmode=require',
    ['p%40x', 'p@x'],
  ],
  ['postgres://u:a@b/c?d@h/d', 'postgres://u:***@h/d', ['a@b/c?d']],
  [
    'postgresql://h/d?user=u&password=top%20s&x=1',
    'postgresql://h/d?user=u&password=***&x=1',
    ['top%20s', 'top s'],
  ],
  ['postgres://u:%zz@h/d', 'postgres://u:***@h/d', ['%zz']],
  ['postgres://odd:s3cr@t/w%zz?#@h:5432/d', 'postgres://odd:***@h:5432/d', ['s3cr@t/w%zz?#']],
  ['postgres://h/d?password=s3cr#t', 'postgres://h/d?password=***', ['s3cr#t']],
])('no password of %s is printed', (url, shown, secrets) => {
  expect(redactUrl(url)).toBe(shown)
  expect(secretsOf(url)).toEqual(secrets)
  expect(holdsSecret(url)).toBe(true)
  for (const secret of secrets) expect(redactUrl(url)).not.toContain(secret)
})

test('URLs without a password stay as they are', () => {
  for (const url of ['postgres://u@h:5432/d', 'postgres:///d?host=/run', 'sqlite:/a/b.db', 'duckdb:x']) {
    expect(redactUrl(url)).toBe(url)
    expect(holdsSecret(url)).toBe(false)
  }
})

test('a password becomes a reference', () => {
  expect(withPasswordFrom('postgres://u:p@h/d', 'PW')).toBe('postgres://u:${PW}@h/d')
  expect(withPasswordFrom('postgres://u@h/d', 'PW')).toBe('postgres://u@h/d')
})

test('file URLs are relative to their file', () => {
  const resolved = (url: string) => resolveFileUrl(url, '/conf')
  expect(resolved('sqlite:shop.db')).toBe('sqlite:///conf/shop.db')
  expect(resolved('sqlite:../shop.db?mode=ro')).toBe('sqlite:///shop.db?mode=ro')
  expect(resolved('duckdb:///data/x.duckdb')).toBe('duckdb:///data/x.duckdb')
  expect(resolved('duckdb://x.duckdb')).toBe('duckdb://x.duckdb')
  expect(resolveFileUrl('sqlite:a.db', '/50% off?')).toBe('sqlite:///50%25%20off%3F/a.db')
  expect(filePathOf('sqlite:/50%25 off%3F/a.db?mode=ro')).toBe('/50% off?/a.db')
  expect(filePathOf('postgres://h/d')).toBeUndefined()
  expect(resolved('postgres://h/d')).toBe('postgres://h/d')
  expect(schemeOf('C:\\shop.db')).toBeUndefined()
  expect(schemeOf('SQLite:x')).toBe('sqlite')
})

test('the JSON schema names every room of the file and refuses unknown settings', () => {
  const schema = configJsonSchema() as {
    properties: object
    additionalProperties: boolean
    required: string[]
  }
  expect(Object.keys(schema.properties)).toEqual([
    'name',
    'state',
    'source',
    'destination',
    'defaults',
    'tables',
  ])
  expect(schema.additionalProperties).toBe(false)
  expect(schema.required).toEqual(['source', 'destination', 'tables'])
  expect(JSON.stringify(schema)).toContain('"fenceWaitMs"')
})
