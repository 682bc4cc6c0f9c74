import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SINGLE_VALUES } from '../../../test/fingerprint/single-values.ts'
import { canonicalText } from './canonical-text.ts'
import { decodeKeyText } from './key-text.ts'
import { addWord, type Digest, EMPTY_SUM, wordOf } from './words.ts'

const md5: Digest = (data) => createHash('md5').update(data).digest('hex')
const brief = (text: string): string => text.slice(0, 40)

describe('single values, computed by the program (F36)', () => {
  test.each(SINGLE_VALUES.map((each) => ({ ...each, label: `${each.type.name} ${brief(each.wire)}` })))(
    '$label',
    ({ type, wire, text }) => {
      expect(canonicalText(type, wire, md5)).toBe(text)
    },
  )

  test('values that only MySQL has (F11)', () => {
    expect(canonicalText({ name: 'date' }, '2025-00-10', md5)).toBe('z2025-00-10')
    const zero = '0000-00-00 00:00:00.000000'
    expect(canonicalText({ name: 'wall_time' }, zero, md5)).toBe(`z${zero}`)
    expect(canonicalText({ name: 'time' }, '-00:00:01.5', md5)).toBe('-1500000')
    expect(canonicalText({ name: 'time' }, '838:59:59', md5)).toBe('3020399000000')
  })

  test('NULL, the empty text and the text N are three (F10)', () => {
    const texts = [null, '', 'N'].map((value) => canonicalText({ name: 'text' }, value, md5))
    expect(texts).toEqual(['N', 'v0:', 'v1:N'])
  })

  test('trailing spaces count in a varchar and not in a char(n) (F14)', () => {
    const texts = ['ab', 'ab  '].map((value) => canonicalText({ name: 'text' }, value, md5))
    expect(texts).toEqual(['v2:ab', 'v4:ab  '])
    const padded = ['ab', 'ab  '].map((value) => canonicalText({ name: 'char' }, value, md5))
    expect(padded).toEqual(['v2:ab', 'v2:ab'])
  })

  test('a value comes back from its text in the wire notation, or says that it cannot', () => {
    for (const { type, wire, text } of SINGLE_VALUES) {
      const back = decodeKeyText([type], text)
      if (text.startsWith('w') || text.startsWith('z2') || type.name === 'interval' || type.name === 'list') {
        expect([text, back]).toEqual([text, undefined])
        continue
      }
      expect([wire, canonicalText(type, back![0]!, md5)]).toEqual([wire, text])
    }
    const kept = SINGLE_VALUES.filter(({ type }) =>
      /^(instant|wall_time|date|text|bytes|json)$/.test(type.name),
    )
    for (const { type, wire, text } of kept) {
      if (/^[zw]2?\d/.test(text)) continue
      expect(decodeKeyText([type], text)).toEqual([wire])
    }
  })
})

describe('a sum is never fooled (F25)', () => {
  const wordsOf = (texts: readonly string[]) =>
    texts.reduce((sum, text) => addWord(sum, wordOf(md5(text))), EMPTY_SUM)
  const row = (id: number, us: bigint): string => `${id};${us}`

  test.each(Array.from({ length: 40 }, (_, i) => i + 2))('all of %i rows shifted by one hour', (count) => {
    const ids = Array.from({ length: count }, (_, i) => i + 1)
    const at = (id: number): bigint => 1_764_339_729_000_000n + BigInt(id) * 1_000_000n
    const before = wordsOf(ids.map((id) => row(id, at(id))))
    expect(wordsOf(ids.map((id) => row(id, at(id) + 3_600_000_000n))).wordSum).not.toBe(before.wordSum)
  })

  test('one row doubled; two rows swapped between keys', () => {
    const rows = ['1;a', '2;b', '3;c']
    const sum = wordsOf(rows)
    expect(wordsOf([...rows, '2;b'])).not.toEqual(sum)
    expect(wordsOf(['1;b', '2;a', '3;c']).wordSum).not.toBe(sum.wordSum)
  })
})
