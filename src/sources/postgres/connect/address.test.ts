import { expect, test } from 'vitest'
import { parseAddress } from './address.ts'

const ssl = (url: string) => parseAddress(url).attempts.map((attempt) => attempt.ssl)

test('the place names host, port and database, never the password', () => {
  expect(parseAddress('postgres://me:s3cret@db.example:6543/shop?sslmode=require').place).toBe(
    'db.example:6543/shop',
  )
  expect(parseAddress('postgresql://me@/shop?host=/run/postgresql').place).toBe('/run/postgresql:5432/shop')
  expect(parseAddress('postgres://me@:6543/shop').place).toBe('localhost:6543/shop')
})

test('sslmode means what it means to psql', () => {
  expect(ssl('postgres://me@localhost/shop')).toEqual([false])
  expect(ssl('postgres://me@/shop?host=/run/postgresql')).toEqual([false])
  expect(ssl('postgres://me@db.example/shop')).toEqual([{ rejectUnauthorized: false }, false])
  expect(ssl('postgres://me@localhost/shop?sslmode=prefer&a=b')).toEqual([
    { rejectUnauthorized: false },
    false,
  ])
  const [required] = parseAddress('postgres://me@db.example/shop?sslmode=verify-full').attempts
  expect(required?.connectionString).toMatch(/\?sslmode=verify-full&uselibpqcompat=true$/)
})

test('a URL that cannot be read is never shown', () => {
  expect(() => parseAddress('postgres://me:s3cret@db:notaport/x')).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.not.stringContaining('s3cret') }),
  )
})
