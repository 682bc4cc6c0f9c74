import { describe, expect, test } from 'vitest'
import type { RehearsalMark } from '../../sources/load.ts'
import type { ServerIdentity } from '../../sources/source.ts'
import { destinationRefusal, type RefusalFacts, refuseUnlessMarked } from './refuse.ts'

const DAY_US = 86_400_000_000n
const NOW_US = 1_796_000_000_000_000n

const identity: ServerIdentity = {
  engine: 'postgres',
  version: '15.1',
  id: '7001',
  database: 'staging',
  timeline: '00000001',
  logPosition: undefined,
}

const mark = (parts: Partial<RehearsalMark> = {}): RehearsalMark => ({
  database: 'staging',
  identity: '7001',
  timeline: '00000001',
  markedUs: String(NOW_US - DAY_US),
  expiresUs: String(NOW_US + DAY_US),
  nowUs: String(NOW_US),
  ...parts,
})

const facts = (parts: Partial<RefusalFacts> = {}): RefusalFacts => ({
  flagged: true,
  identity,
  marks: [mark()],
  known: [],
  destination: { tables: [], claims: [] },
  ...parts,
})

const claim = (stream: string, id: string) =>
  ({ stream, facts: JSON.stringify({ source: { id } }) }) as RefusalFacts['destination']['claims'][number]
const table = (schema: string, name: string) => ({ schema, name })

test('a marked staging copy with an empty destination is loaded', () => {
  expect(() => refuseUnlessMarked(facts())).not.toThrow()
})

describe('A49: refused', () => {
  test.each<[string, Partial<RefusalFacts>]>([
    ['rehearsal: true', { flagged: false }],
    ['missing or empty', { marks: [] }],
    ['more than one row', { marks: [mark(), mark()] }],
    ['names the database shop', { marks: [mark({ database: 'shop' })] }],
    ['another server', { marks: [mark({ identity: '7002' })] }],
    ['another server', { marks: [mark({ timeline: '00000002' })] }],
    ['expired', { marks: [mark({ expiresUs: String(NOW_US) })] }],
    ['more than 30 days', { marks: [mark({ expiresUs: String(NOW_US + 31n * DAY_US) })] }],
    ['system identifier', { identity: { ...identity, id: 'address:10.0.0.1:5432/16384' } }],
    [
      'is the source of shop/orders',
      { known: [{ id: '7001', timeline: '00000001', database: 'shop', stream: 'shop/orders' }] },
    ],
    ['public.report stands in it', { destination: { tables: [table('public', 'report')], claims: [] } }],
    ['cannot say', { destination: { tables: undefined, claims: [] } }],
  ])('%s', (sentence, parts) => {
    expect(() => refuseUnlessMarked(facts(parts))).toThrow(
      expect.objectContaining({
        code: 'REHEARSAL_REFUSED',
        kind: 'usage',
        message: expect.stringContaining(sentence),
      }),
    )
  })

  test('everything that speaks against it is said at once', () => {
    expect(() => refuseUnlessMarked(facts({ flagged: false, marks: [] }))).toThrow(
      /rehearsal: true.*; .*missing/,
    )
  })
})

test('a promoted clone of production has another timeline: its own mark lets it be loaded', () => {
  const known = [{ id: '7001', timeline: '00000001', database: 'shop', stream: 'shop/orders' }]
  const promoted = { ...identity, timeline: '00000002' }
  expect(() =>
    refuseUnlessMarked(facts({ known, identity: promoted, marks: [mark({ timeline: '00000002' })] })),
  ).not.toThrow()
})

describe('the destination', () => {
  const ours = [table('plimsoll_load', 'r_1'), table('main', 'plimsoll_claim')]
  test('may hold what earlier rehearsals of this server landed', () => {
    const claims = [claim('plimsoll_load.r_1', '7001')]
    expect(destinationRefusal({ tables: ours, claims }, identity)).toBeUndefined()
  })
  test.each([
    ['of another server', claim('plimsoll_load.r_1', '7002')],
    ['of a real table', claim('public.orders', '7001')],
  ])('may hold no claim %s', (_, other) => {
    expect(destinationRefusal({ tables: ours, claims: [other] }, identity)).toContain(other.stream)
  })
  test('may hold anything once it is marked alike, and only with a good mark', () => {
    const tables = [table('public', 'report')]
    const marked = { identity: { ...identity, id: '8001', database: 'lake' } }
    const good = mark({ identity: '8001', database: 'lake' })
    expect(
      destinationRefusal({ tables, claims: [], marked: { ...marked, marks: [good] } }, identity),
    ).toBeUndefined()
    const cloned = { ...marked, marks: [mark()] }
    expect(destinationRefusal({ tables, claims: [], marked: cloned }, identity)).toContain('the destination')
  })
})
