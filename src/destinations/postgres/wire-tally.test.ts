import { describe, expect, test } from 'vitest'
import { notationOf } from './wire-notation.ts'
import { createWireTally } from './wire-tally.ts'

const RECORDS = ['1,a', '2,"x\n""y"",\n"', '3,', '4,""', '5,"é"']
const BYTES = Buffer.from(`${RECORDS.join('\n')}\n`)

/** The bytes fed in pieces of one size. */
function tallied(bytes: Buffer, size: number) {
  const tally = createWireTally(notationOf('plain_csv'))
  for (let at = 0; at < bytes.length; at += size) tally.add(bytes.subarray(at, at + size))
  return tally
}

describe('wire tally', () => {
  test.each([1, 2, 3, 7, 1000])('finds records by line and from the end, in pieces of %i bytes', (size) => {
    const tally = tallied(BYTES, size)
    expect(tally.byteSize()).toBe(BYTES.length)
    expect(tally.record(1)).toEqual(['1', 'a'])
    expect(tally.record(4)).toEqual(['2', 'x\n"y",\n'])
    expect(tally.record(5)).toEqual(['3', null])
    expect(tally.record(7)).toEqual(['5', 'é'])
    expect(tally.record(8)).toBeUndefined()
    expect(tally.lastRecords(3)).toEqual([
      ['5', 'é'],
      ['4', ''],
      ['3', null],
    ])
    expect(tally.lastRecords(9)).toHaveLength(RECORDS.length)
  })

  test('counts lines as COPY does: in the first record \\r and not \\n', () => {
    const tally = tallied(Buffer.from('1,"a\nb\nc\rd"\n2,"a\nb"\n'), 5)
    expect(tally.record(2)).toEqual(['1', 'a\nb\nc\rd'])
    expect(tally.record(4)).toEqual(['2', 'a\nb'])
  })

  test('the checksum knows no order and no pieces, and sees every byte', () => {
    const sum = tallied(BYTES, 1000).checksum()
    expect(tallied(BYTES, 3).checksum()).toBe(sum)
    const moved = [RECORDS[4], RECORDS[0], RECORDS[1], RECORDS[3], RECORDS[2]]
    expect(tallied(Buffer.from(`${moved.join('\n')}\n`), 4).checksum()).toBe(sum)
    const changed = Buffer.from(BYTES)
    changed[2] = 0x62
    expect(tallied(changed, 1000).checksum()).not.toBe(sum)
  })

  test.each([1, 3, 1000])('finds lines of COPY text, in pieces of %i bytes', (size) => {
    const bytes = Buffer.from('1\ta\\nb\\\\N\n2\t\\N\n3\t\n4\t"\\t"\r\n')
    const tally = createWireTally(notationOf('pg_text'))
    for (let at = 0; at < bytes.length; at += size) tally.add(bytes.subarray(at, at + size))
    expect(tally.record(1)).toEqual(['1', 'a\nb\\N'])
    expect(tally.record(2)).toEqual(['2', null])
    expect(tally.record(5)).toBeUndefined()
    expect(tally.lastRecords(2)).toEqual([
      ['4', '"\t"\r'],
      ['3', ''],
    ])
    expect(tally.lastRecords(9)).toHaveLength(4)
  })

  test('a record that left the window is not guessed', () => {
    const tally = createWireTally(notationOf('plain_csv'))
    const line = Buffer.from(`${'x'.repeat(1023)}\n`)
    for (let i = 0; i < 20_000; i++) tally.add(line)
    expect(tally.record(1)).toBeUndefined()
    expect(tally.record(20_000)?.[0]).toHaveLength(1023)
    expect(tally.lastRecords(2)).toHaveLength(2)
  })
})
