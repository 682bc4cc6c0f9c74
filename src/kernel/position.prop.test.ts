import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  comparePositions,
  maxPosition,
  minPosition,
  type Position,
  positionFromJson,
  positionToJson,
} from './position.ts'

const numeric = fc.record({
  kind: fc.constantFrom(
    'timestamptz' as const,
    'timestamp' as const,
    'date' as const,
    'integer' as const,
    'xid8' as const,
  ),
  value: fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
})
const text = fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'grapheme' }) })
const position: fc.Arbitrary<Position> = fc.oneof(numeric, text)

describe('positions (E1, E2, E7)', () => {
  test('value to JSON text and back is the identity, for every kind', () => {
    fc.assert(
      fc.property(position, (p) => {
        const there = JSON.parse(JSON.stringify(positionToJson(p)))
        expect(positionFromJson(there)).toEqual(p)
      }),
    )
  })

  test.each([9007199254740993n, 2n ** 63n - 1n, 9224318015999999999n])('%s survives JSON', (value) => {
    const p: Position = { kind: 'timestamptz', value }
    expect(positionFromJson(JSON.parse(JSON.stringify(positionToJson(p))))).toEqual(p)
  })

  test('text order is the order of the UTF-8 bytes', () => {
    const anyText = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const ours = Math.sign(comparePositions({ kind: 'text', value: a }, { kind: 'text', value: b }))
        expect(ours).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))))
      }),
      { numRuns: 2000 },
    )
  })

  test('a surrogate pair lies above the last code point of the basic plane', () => {
    expect(
      comparePositions({ kind: 'text', value: '\u{10000}' }, { kind: 'text', value: '\uffff' }),
    ).toBeGreaterThan(0)
  })

  test('max and min agree with the order', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), (x, y) => {
        const [a, b]: [Position, Position] = [
          { kind: 'integer', value: x },
          { kind: 'integer', value: y },
        ]
        expect(maxPosition(a, b).value).toBe(x > y ? x : y)
        expect(minPosition(a, b).value).toBe(x > y ? y : x)
      }),
    )
  })

  test('positions of two kinds never compare', () => {
    expect(() => comparePositions({ kind: 'integer', value: 1n }, { kind: 'xid8', value: 1n })).toThrow(
      /two kinds/,
    )
  })

  test('a JSON value that is no integer is refused', () => {
    expect(() => positionFromJson({ kind: 'integer', value: '1.5' })).toThrow(/not an integer/)
  })
})
