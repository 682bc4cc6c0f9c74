import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvField } from '../../csv.ts'
import { encoderOf, plainDecimal, quickFieldOf } from './encode.ts'

describe('encoderOf', () => {
  test.each([
    ['int8', 9_223_372_036_854_775_807n, '9223372036854775807'],
    ['int8', 1.5, undefined],
    ['int8', '1', undefined],
    ['float8', 5e-324, '5e-324'],
    ['float8', Number.POSITIVE_INFINITY, 'Infinity'],
    ['float8', 0.1, '0.1'],
    ['float8', 1n, undefined],
    ['text', 'é', 'é'],
    ['text', 1n, undefined],
    ['text', Buffer.from('a'), undefined],
    ['bytes', Buffer.from([0, 255]), '\\x00ff'],
    ['bytes', 'a', undefined],
    ['bool', 1n, 't'],
    ['bool', 0n, 'f'],
    ['bool', 2n, undefined],
    ['bool', 'true', undefined],
    ['json', '{"a":1}', '{"a":1}'],
    ['json', 12n, '12'],
    ['json', Buffer.from('x'), undefined],
  ] as const)('%s %s is %s', (name, value, text) => {
    expect(encoderOf({ name }, false)(value)).toBe(text)
  })

  test.each([
    [10, 2, 12345678.91, '12345678.91'],
    [10, 2, 1.234, undefined],
    [10, 2, 123_456_789n, undefined],
    [10, 2, 12_345_678n, '12345678'],
    [3, 3, 0.125, '0.125'],
    [5, 0, 1.5, undefined],
    [38, 10, 1e-7, '0.0000001'],
    [38, 10, 1e-11, undefined],
    [undefined, undefined, 1e300, `1${'0'.repeat(300)}`],
    [undefined, undefined, Number.POSITIVE_INFINITY, undefined],
    [undefined, undefined, 'abc', undefined],
  ])('numeric(%s,%s) of %s is %s', (precision, scale, value, text) => {
    const type = precision === undefined ? {} : { precision, scale }
    expect(encoderOf({ name: 'numeric', ...type } as never, false)(value as number)).toBe(text)
  })

  test('as text every class is its own text', () => {
    const encode = encoderOf({ name: 'int8' }, true)
    expect([1n, 1.5, 'x', Buffer.from('a')].map((value) => encode(value))).toEqual(['1', '1.5', 'x', '\\x61'])
  })

  test('a plain decimal is the same float, without exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = plainDecimal(value)!
        expect(text).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(text)).toBe(value === 0 ? Number(text) : value)
      }),
    )
  })

  test('the quick way is the slow way wherever it answers', () => {
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\\', '.', '\0', '\ufffd', 'é', ' ') }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true }),
    )
    fc.assert(
      fc.property(value, fc.constantFrom('int8', 'float8', 'text', 'bool', 'json' as const), (each, name) => {
        const quick = quickFieldOf({ name }, false)(each)
        if (quick === undefined) return
        expect(quick).toBe(csvField(encoderOf({ name }, false)(each)!))
        expect(quick).not.toMatch(/\0|\ufffd/)
      }),
    )
  })
})
