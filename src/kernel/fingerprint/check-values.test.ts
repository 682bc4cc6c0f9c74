import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  CHECK_BUCKETS,
  CHECK_COLUMN_WORDS,
  CHECK_COLUMNS,
  CHECK_KEYS,
  CHECK_ROWS,
  CHECK_SECOND_SUM,
  CHECK_SHA256_WORDS,
  CHECK_SUM,
  type CheckRow,
} from '../../../test/fingerprint/check-values.ts'
import { canonicalText } from './canonical-text.ts'
import { decodeKeyText, encodeKeyText } from './key-text.ts'
import { addWord, type Digest, digitsFor, EMPTY_SUM, wordOf } from './words.ts'

const digestBy =
  (name: string): Digest =>
  (data) =>
    createHash(name).update(data).digest('hex')
const md5 = digestBy('md5')
const types = CHECK_COLUMNS.map(({ canonical }) => canonical)
const textsOf = ({ wire }: CheckRow, digest = md5) =>
  wire.map((value, i) => canonicalText(types[i]!, value, digest))

describe('check values, computed by the program (F35)', () => {
  test.each(CHECK_ROWS)('row $wire.0', (row) => {
    const text = textsOf(row).join(';')
    expect(text).toBe(row.text)
    expect(md5(text)).toBe(row.md5)
    expect(wordOf(md5(text))).toBe(row.word)
    expect(wordOf(md5(text).slice(15))).toBe(row.secondWord)
    expect(md5(row.wire[0]!).slice(0, 4)).toBe(row.bucket)
  })

  test('sums, and sums by bucket', () => {
    const sum = CHECK_ROWS.reduce((all, { word }) => addWord(all, word), EMPTY_SUM)
    expect(sum).toEqual({ rowCount: 16n, wordSum: CHECK_SUM })
    expect(CHECK_ROWS.reduce((all, { secondWord }) => all + secondWord, 0n)).toBe(CHECK_SECOND_SUM)
    const buckets: Record<string, [bigint, bigint]> = {}
    for (const { bucket, word } of CHECK_ROWS) {
      const [count, total] = buckets[bucket[0]!] ?? [0n, 0n]
      buckets[bucket[0]!] = [count + 1n, total + word]
    }
    expect(buckets).toEqual(CHECK_BUCKETS)
  })

  test('SHA-256 gives the same digits and other words (F19)', () => {
    const sha256 = digestBy('sha256')
    const words = CHECK_ROWS.slice(0, 2).map((row) => {
      const digest = sha256(textsOf(row, sha256).join(';'))
      return [wordOf(digest), wordOf(digest.slice(15))]
    })
    expect(words).toEqual(CHECK_SHA256_WORDS)
  })

  test('columns of row 5, with the key mixed in (F30)', () => {
    const [key, ...columns] = textsOf(CHECK_ROWS[4]!)
    expect(columns.map((text) => wordOf(md5(`${key};${text}`)))).toEqual(CHECK_COLUMN_WORDS)
  })

  test.each(CHECK_KEYS)('key $text (F37)', ({ types, wire, text, digest }) => {
    expect(encodeKeyText(types, wire, md5)).toBe(text)
    expect(md5(text).slice(0, 4)).toBe(digest)
    expect(decodeKeyText(types, text)).toEqual(wire)
  })

  test('digits of a bucket (F29)', () => {
    expect([0, 99_999, 100_000, 50_000_000, 50_000_001].map(digitsFor)).toEqual([3, 3, 4, 4, 5])
  })
})
