import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvariantError } from './assert.ts'
import { canonicalJson } from './canonical-json.ts'

describe('canonicalJson', () => {
  test('sorts keys at every depth and leaves arrays in order', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, null], a: 'é"\n', Z: undefined, _: true })).toBe(
      '{"_":true,"a":"é\\"\\n","b":[{"c":2,"d":1},null]}',
    )
    expect(canonicalJson({ '\u{10000}': 1, '\uffff': 2 })).toBe('{"\u{10000}":1,"\uffff":2}')
  })

  test.each([
    ['bigint', 1n],
    ['an integer a double cannot hold', 2 ** 53],
    ['NaN', Number.NaN],
    ['infinity', { a: Number.POSITIVE_INFINITY }],
    ['a date', { at: new Date(0) }],
    ['a map', new Map()],
    ['a function', () => 1],
    ['undefined itself', undefined],
    ['a hole', new Array(2)],
    ['a lone surrogate', '\ud800'],
    ['a lone surrogate in a key', { '\ud800': 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(InvariantError)
  })

  test('one text for equal values, whatever the order of keys; reading and writing again changes nothing', () => {
    const json = fc.jsonValue({ stringUnit: 'grapheme' }).filter(exact)
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(reversed(JSON.parse(text)))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

function exact(value: unknown): boolean {
  try {
    canonicalJson(value)
    return true
  } catch {
    return false
  }
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}
