import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAddress } from './address.ts'

describe('parseAddress', () => {
  test.each([
    ['sqlite:///srv/shop.db', '/srv/shop.db', false],
    ['sqlite:/srv/shop.db', '/srv/shop.db', false],
    ['sqlite:shop.db', resolve('shop.db'), false],
    ['sqlite:./data/shop.db?mode=ro', resolve('data/shop.db'), true],
    ['sqlite:///srv/a%20b%3F.db?mode=rw', '/srv/a b?.db', false],
  ])('%s', (url, file, readOnly) => expect(parseAddress(url)).toEqual({ file, readOnly }))

  test.each([
    'sqlite:',
    'sqlite://host/shop.db',
    'sqlite:///srv/',
    'sqlite::memory:',
    'sqlite:shop.db?mode=memory',
    'sqlite:shop.db?cache=shared',
  ])('%s is refused', (url) => {
    expect(() => parseAddress(url)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})
