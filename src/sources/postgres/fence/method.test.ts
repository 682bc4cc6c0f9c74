import { describe, expect, test } from 'vitest'
import { BY_TIME, QUICK } from '../../../../test/support/fences.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { chooseMethod } from './method.ts'

const order = (rest: Partial<PositionOrder>): PositionOrder => ({ ...BY_TIME, ...rest })
const TIME = order({})
const WALL = order({ kind: 'date', zone: 'Europe/Berlin' })
const EPOCH = order({ kind: 'integer', flavour: 'epoch', unit: 'ms' })
const ULID = order({ kind: 'text', encoding: 'ulid' })
const SEQUENCE = order({ kind: 'integer', flavour: 'sequence' })
const XID = order({ kind: 'xid8' })

describe('E18: column and wish to method', () => {
  test.each([
    [TIME, 'auto', 'timed'],
    [WALL, 'auto', 'timed'],
    [EPOCH, 'auto', 'timed'],
    [ULID, 'auto', 'timed'],
    [SEQUENCE, 'auto', 'N1'],
    [XID, 'auto', 'P3'],
    [TIME, 'P1', 'P1'],
    [WALL, 'P2', 'P2'],
    [ULID, 'settle', 'settle'],
    [SEQUENCE, 'N1', 'N1'],
    [XID, 'P3', 'P3'],
  ] as const)('%o %s: %s', (column, method, chosen) => {
    expect(chooseMethod(column, { ...QUICK, method, appendOnly: true })).toBe(chosen)
  })

  test.each([
    [TIME, 'P3'],
    [TIME, 'N1'],
    [TIME, 'S1'],
    [SEQUENCE, 'P1'],
    [SEQUENCE, 'settle'],
    [XID, 'P2'],
    [XID, 'settle'],
  ] as const)('%o cannot be bounded by %s', (column, method) => {
    const choose = () => chooseMethod(column, { ...QUICK, method, appendOnly: true })
    expect(choose).toThrow(/cannot bound/)
  })

  test('a sequence needs appendOnly, for updates do not move it (E35)', () => {
    expect(() => chooseMethod(SEQUENCE, QUICK)).toThrow(/updates do not move/)
  })
})
