import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { LogicalType } from '../types.ts'
import { makeComparisonPlan, type PlanRequest } from './make-plan.ts'

const column = (name: string, nativeType: string, type: LogicalType) => ({ name, nativeType, type })
const COLUMNS = [
  column('at', 'timestamp with time zone', { name: 'timestamptz' }),
  column('code', 'character(5)', { name: 'text' }),
  column('amount', 'numeric(10,2)', { name: 'numeric', precision: 10, scale: 2 }),
  column('id', 'bigint', { name: 'int8' }),
  column('tags', 'text[]', { name: 'list', of: { name: 'text' } }),
]

const request = (more: Partial<PlanRequest> = {}): PlanRequest => ({
  shape: { columns: COLUMNS },
  key: ['id'],
  order: { column: 'at' },
  asText: [],
  destinationEngine: 'duckdb',
  digestHex: (text) => createHash('sha256').update(text).digest('hex'),
  ...more,
})
const plan = (more: Partial<PlanRequest> = {}) => makeComparisonPlan(request(more))
const canonicalOf = (nativeType: string, type: LogicalType) => {
  const columns = [...COLUMNS, column('x', nativeType, type)]
  return plan({ shape: { columns } }).columns.at(-1)?.canonical
}

describe('the plan of a comparison (F6)', () => {
  test('key columns first, then the others in the order of the source', () => {
    expect(plan().columns.map(({ name }) => name)).toEqual(['id', 'at', 'code', 'amount', 'tags'])
    expect(plan().keyCount).toBe(1)
    expect(
      plan({ key: ['code', 'id'] })
        .columns.map(({ name }) => name)
        .slice(0, 2),
    ).toEqual(['code', 'id'])
    const bag = plan({ key: [] })
    expect(bag.columns.map(({ name }) => name)).toEqual(COLUMNS.map(({ name }) => name))
    expect(bag.keyCount).toBe(COLUMNS.length)
  })

  test('its hash tells every change of what is compared', () => {
    const more = [...COLUMNS, column('new', 'text', { name: 'text' })]
    const hashes = [
      plan(),
      plan({ shape: { columns: more } }),
      plan({ shape: { columns: more }, leaveOut: [{ column: 'new', reason: 'not landed yet' }] }),
      plan({ shape: { columns: [...COLUMNS].reverse() } }),
      plan({ key: ['code'] }),
      plan({ asText: ['code'] }),
      plan({ order: { column: 'id' } }),
      plan({ digest: 'sha256' }),
      plan({ destinationEngine: 'postgres' }),
    ].map(({ hash }) => hash)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(plan().hash).toBe(hashes[0])
    expect(plan().hash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('no column is neither compared nor listed (F24)', () => {
    const leaveOut = [{ column: 'tags', reason: 'not landed yet' }]
    const { columns, leftOut } = plan({ leaveOut })
    const named = [...columns.map(({ name }) => name), ...leftOut.map(({ column }) => column)]
    expect(named.sort()).toEqual(COLUMNS.map(({ name }) => name).sort())
    expect(leftOut).toEqual(leaveOut)
    expect(() => plan({ leaveOut: [{ column: 'id', reason: 'no' }] })).toThrow(/key/)
  })

  test('a type is compared as it lands (F11, F12, F14)', () => {
    expect(canonicalOf('character(5)', { name: 'text' })).toEqual({ name: 'char' })
    expect(canonicalOf('character varying(5)', { name: 'text' })).toEqual({ name: 'text' })
    expect(canonicalOf('numeric', { name: 'numeric' })).toEqual({ name: 'numeric' })
    const wide: LogicalType = { name: 'numeric', precision: 50, scale: 10 }
    expect(canonicalOf('numeric(50,10)', wide)).toEqual({ name: 'numeric' })
    expect(canonicalOf('numeric(3,-2)', { name: 'numeric', precision: 3, scale: -2 })).toEqual({
      name: 'decimal',
      scale: 0,
    })
    expect(canonicalOf('numeric(37,-2)', { name: 'numeric', precision: 37, scale: -2 })).toEqual({
      name: 'numeric',
    })
    expect(canonicalOf('time with time zone', { name: 'timetz' })).toEqual({ name: 'printed' })
    expect(canonicalOf('int4range', { name: 'opaque' })).toEqual({ name: 'printed' })
    expect(canonicalOf('jsonb', { name: 'jsonb' })).toEqual({ name: 'json' })
    const numbers: LogicalType = { name: 'list', of: { name: 'numeric', precision: 5, scale: 2 } }
    expect(canonicalOf('numeric(5,2)[]', numbers)).toEqual({
      name: 'list',
      of: { name: 'decimal', scale: 2 },
    })
    expect(canonicalOf('character(3)[]', { name: 'list', of: { name: 'text' } })).toEqual({
      name: 'list',
      of: { name: 'char' },
    })
    const asText = plan({ asText: ['amount'] }).columns.find(({ name }) => name === 'amount')
    expect(asText?.canonical).toEqual({ name: 'printed' })
  })
})
