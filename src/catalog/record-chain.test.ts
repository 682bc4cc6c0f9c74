import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../kernel/canonical-json.ts'
import type { StoredRecord } from './catalog.ts'
import { chainFault, FIRST_PREV, recordHash, sealRecord } from './record-chain.ts'

const STREAM = 'shop/public.orders'
/** The two texts of A57. */
const FIRST =
  '{"generation":"1","kind":"run","lower":null,"pipeline":"shop","prev":"0000000000000000000000000000000000000000000000000000000000000000","proof":"proven","row_count":"3","row_sum":"1729382256910270464","stream":"customers","upper":"1764339729000000","version":"1","watermark_after":"1764339729000000","watermark_before":null}'
const SECOND =
  '{"generation":"1","kind":"run","lower":"1764339429000000","pipeline":"shop","prev":"c3171428ac6fb361fe239651c1d4996d3b5a8884a0680565fa9325a1ef74d590","proof":"proven","row_count":"1","row_sum":"576460752303423488","stream":"customers","upper":"1764343329000000","version":"1","watermark_after":"1764343329000000","watermark_before":"1764339729000000"}'

test('A57: the second text names the hash of the first, and has its own', () => {
  expect(JSON.parse(FIRST).prev).toBe(FIRST_PREV)
  expect(JSON.parse(SECOND).prev).toBe(recordHash(FIRST))
  expect(recordHash(SECOND)).toBe('218dbb922b8619b4eb9021276dce2338ee4cb0b1e643cc987ea45286c6e2c775')
  for (const text of [FIRST, SECOND]) expect(canonicalJson(JSON.parse(text))).toBe(text)
})

test('A57: what is sealed has the form of these texts, whatever its values were', () => {
  const record = {
    generation: 1,
    kind: 'run',
    lower: null,
    proof: 'proven',
    row_count: 3,
    row_sum: '1729382256910270464',
    upper: '1764339729000000',
    watermark_after: '1764339729000000',
    watermark_before: null,
  }
  const { json, prev } = sealRecord('r1', 'shop/customers', record, undefined)
  const { sequence, ...said } = JSON.parse(json)
  expect([prev, sequence]).toEqual([FIRST_PREV, '1'])
  expect(canonicalJson(said)).toBe(FIRST)
})

function chain(length: number): StoredRecord[] {
  const records: StoredRecord[] = []
  for (let i = 1; i <= length; i++)
    records.push(sealRecord(`r${i}`, STREAM, { kind: 'run', n: i }, records.at(-1)))
  return records
}

describe('A58: one record', () => {
  const fault = (records: readonly StoredRecord[]): [number, string] | undefined => {
    const found = chainFault(records)
    return found && [found.record.sequence, found.what]
  }
  const forged = (before: StoredRecord): StoredRecord =>
    sealRecord('forged', STREAM, { kind: 'audit' }, before)

  test('none: nothing is found', () => {
    expect(fault([])).toBeUndefined()
    expect(fault(chain(5))).toBeUndefined()
  })

  test('changed is named', () => {
    const records = chain(5)
    records[2] = { ...records[2]!, json: records[2]!.json.replace('"n":"3"', '"n":"4"') }
    expect(fault(records)).toEqual([3, 'was changed: its text does not have its hash'])
  })

  test('changed together with its hash shows at the one after it', () => {
    const records = chain(5)
    records[2] = sealRecord('r3', STREAM, { kind: 'run', n: 4 }, records[1])
    expect(fault(records)).toEqual([4, 'does not follow record 3: that one was replaced'])
  })

  test('dropped is named', () => {
    expect(fault(chain(5).toSpliced(2, 1))).toEqual([4, 'follows a gap: record 3 is missing'])
    expect(fault(chain(5).toSpliced(0, 1))).toEqual([2, 'follows a gap: record 1 is missing'])
  })

  test('swapped with another is named', () => {
    const [a, b, c, d] = chain(4)
    expect(fault([a!, c!, b!, d!])).toEqual([3, 'stands where record 2 belongs: the two were swapped'])
    const relabelled = [a!, { ...c!, sequence: 2 }, { ...b!, sequence: 3 }, d!]
    expect(fault(relabelled)).toEqual([2, 'was moved: its text says that it is record 3'])
  })

  test('inserted is named', () => {
    const records = chain(4)
    const inserted = records.toSpliced(2, 0, forged(records[1]!))
    expect(fault(inserted)).toEqual([3, 'stands there twice: one of the two was inserted'])
    const renumbered = inserted.map((record, i) => ({ ...record, sequence: i + 1 }))
    expect(fault(renumbered)).toEqual([4, 'was moved: its text says that it is record 3'])
  })
})
