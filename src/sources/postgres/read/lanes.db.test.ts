import { describe, expect, test } from 'vitest'
import { collect, openSession, openSource, readTable } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { parseTimestamp } from '../../../kernel/calendar.ts'
import type { Lane } from '../../../kernel/lane.ts'
import { isTimeLike, usToPosition } from '../../../kernel/moment.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import type { Position } from '../../../kernel/position.ts'
import type { OrderDeclaration, Reader, ReadScope } from '../../source.ts'

const us = (text: string) => parseTimestamp(text)!
const FENCE = us('2025-06-01 00:00:00')
const FUTURE = us('2025-06-01 00:00:05')

interface Column {
  readonly type: string
  readonly declared: Omit<OrderDeclaration, 'column'>
  readonly values: readonly string[]
  readonly lanes: Partial<Record<Lane, number>>
}

const MOMENTS = ['2025-01-01', '0001-01-01', '2025-05-31 23:59:59.999999', '2025-06-01 00:00:01']
const FAR = ['9999-12-31', '10000-01-01', '2025-06-01 00:00:05']
const ODD = ['0001-12-31 BC', '4713-01-01 BC', 'infinity', 'infinity', '-infinity']
const CALENDAR: Partial<Record<Lane, number>> = { null: 1, infinity: 2, neg_infinity: 1, bc: 2, future: 3 }

const COLUMNS: readonly Column[] = [
  { type: 'timestamptz', declared: {}, values: [...MOMENTS, ...FAR, ...ODD], lanes: CALENDAR },
  { type: 'timestamp', declared: { zone: 'UTC' }, values: [...MOMENTS, ...FAR, ...ODD], lanes: CALENDAR },
  // The day of the fence is open, not in the future.
  {
    type: 'date',
    declared: { zone: 'UTC' },
    values: [...MOMENTS, ...FAR, ...ODD],
    lanes: { ...CALENDAR, future: 2 },
  },
  {
    type: 'bigint',
    declared: { unit: 'ms' },
    values: ['0', '-5', '1748735999999', '1748736000001', '1748736005000', '9223372036854775807'],
    lanes: { null: 1, future: 2 },
  },
  {
    type: 'numeric(20,0)',
    declared: { flavour: 'sequence' },
    values: ['-99999999999999999999', '0', '99999999999999999999'],
    lanes: { null: 1 },
  },
  { type: 'xid8', declared: {}, values: ['3', '18446744073709551615'], lanes: { null: 1 } },
  {
    type: 'text COLLATE "C"',
    declared: { encoding: 'ulid' },
    values: [
      '01HZ5XG8A0AAAAAAAAAAAAAAAA',
      '01JWZZZZZZZZZZZZZZZZZZZZZZ',
      '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      'nonsense',
      'ä',
      '',
    ],
    lanes: { null: 1, future: 2, malformed: 3 },
  },
  {
    type: 'uuid',
    declared: { encoding: 'uuidv7' },
    values: [
      '0197a000-0000-7000-8000-000000000000',
      '01900000-0000-7000-8000-000000000000',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    ],
    lanes: { null: 1, future: 1, malformed: 1 },
  },
  {
    type: 'varchar(30) COLLATE "C"',
    declared: { encoding: 'iso' },
    values: ['2025-01-01 00:00:00', '2025-06-01 00:00:01', '2026-01-01 00:00:00', '2025-01-01', 'x'],
    lanes: { null: 1, future: 1, malformed: 2 },
  },
]

describe.each(postgresServers())('lanes of PostgreSQL $major', (server) => {
  test.each(COLUMNS)('E43: range, peek and lanes of a $type column are its rows', async (column) => {
    const url = await freshDatabase(server, 'lanes')
    const sql = await openSession(url)
    const values = [...column.values.map((value) => `'${value}'`), 'NULL']
    await sql(`SET timezone = 'UTC'; CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, u ${column.type});
      CREATE INDEX ON t (u); INSERT INTO t (u) VALUES (${values.join('), (')})`)
    const declared = { column: 'u', ...column.declared }
    const { reader, order } = await readTable(openSource(url), 'public.t', declared, { futureFromUs: FUTURE })
    const fence = fenceOf(order)
    expect(await reader.countLanes(100)).toEqual(column.lanes)
    const scopes: ReadScope[] = [
      { kind: 'range', range: { lower: undefined, upper: fence } },
      { kind: 'peek', from: fence },
      ...Object.keys(column.lanes).map(
        (lane): ReadScope => ({ kind: 'lane', lane: lane as Lane, limit: 100, afterKey: undefined }),
      ),
    ]
    const ids: string[] = []
    for (const scope of scopes) ids.push(...(await idsOf(reader, scope)))
    expect(ids.sort(byNumber)).toEqual(values.map((_, i) => String(i + 1)))
    expect(await idsOf(reader, scopes[0]!)).not.toHaveLength(0)
  })

  test('LANE-1: a lane is paged by key, whatever the key is made of', async () => {
    const url = await freshDatabase(server, 'lane pages')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, a text, b numeric(10,2), c char(3), u timestamptz,
        PRIMARY KEY (a, b, c));
      INSERT INTO t (a, b, c) SELECT 'o''x' || g % 3, g % 5, g FROM generate_series(1, 70) g;
      INSERT INTO t (a, b, c, u) VALUES ('placed', 1, 'x', '2025-01-01')`)
    const { reader } = await readTable(openSource(url), 'public.t', { column: 'u' })
    const ids: string[] = []
    let afterKey: readonly string[] | undefined
    for (let page = 0; ; page++) {
      expect(page).toBeLessThan(12)
      const stream = reader.read({ kind: 'lane', lane: 'null', limit: 7, afterKey })
      const text = await collect(stream.bytes)
      const { rowCount, lastKey } = await stream.done
      if (rowCount === 0) break
      ids.push(...idsIn(text))
      afterKey = lastKey
    }
    expect(ids.sort(byNumber)).toEqual(Array.from({ length: 70 }, (_, i) => String(i + 1)))
  })

  test('counting stops at the limit, and lanes that cannot exist are absent', async () => {
    const url = await freshDatabase(server, 'lane limit')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz NOT NULL);
      INSERT INTO t SELECT g, 'infinity' FROM generate_series(1, 10) g`)
    const { reader } = await readTable(openSource(url), 'public.t', { column: 'u' })
    expect(await reader.countLanes(4)).toEqual({ infinity: 5, neg_infinity: 0, bc: 0 })
  })

  test('PREC-5: large integers stay apart, and a bound above the largest has no overflow', async () => {
    const url = await freshDatabase(server, 'large integers')
    const sql = await openSession(url)
    await sql(`CREATE TABLE t (id bigint PRIMARY KEY);
      INSERT INTO t VALUES (9007199254740991), (9007199254740992), (9007199254740993), (9223372036854775807)`)
    const { reader } = await readTable(openSource(url), 'public.t', { column: 'id', flavour: 'sequence' })
    const at = (value: bigint) => ({ kind: 'integer', value }) as const
    const read = (lower: bigint, upper: bigint) =>
      idsOf(reader, { kind: 'range', range: { lower: at(lower), upper: at(upper) } })
    expect(await read(9007199254740992n, 9007199254740993n)).toEqual(['9007199254740992'])
    expect(await read(9007199254740993n, 2n ** 63n)).toEqual(['9007199254740993', '9223372036854775807'])
    expect(await read(2n ** 63n, 2n ** 63n + 5n)).toEqual([])
    expect(await reader.newest()).toEqual(at(2n ** 63n - 1n))
    expect(await reader.nextBorder(at(9007199254740991n), at(2n ** 63n), 2)).toEqual(at(9007199254740993n))
  })

  if (server.major >= 18) {
    test('a NOT NULL that is not validated leaves room for the lane null', async () => {
      const url = await freshDatabase(server, 'not validated')
      const sql = await openSession(url)
      await sql(`CREATE TABLE t (id int PRIMARY KEY, u timestamptz); INSERT INTO t VALUES (1);
        ALTER TABLE t ADD CONSTRAINT nn NOT NULL u NOT VALID`)
      const { reader } = await readTable(openSource(url), 'public.t', { column: 'u' })
      expect(await reader.countLanes(10)).toMatchObject({ null: 1 })
    })
  }
})

function fenceOf(order: PositionOrder): Position {
  if (isTimeLike(order)) return usToPosition(order, FENCE)
  return { kind: order.kind === 'xid8' ? 'xid8' : 'integer', value: 10n }
}

const byNumber = (a: string, b: string): number => Number(a) - Number(b)
const idsIn = (csv: string): string[] =>
  csv
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(',')[0]!)

async function idsOf(reader: Reader, scope: ReadScope): Promise<string[]> {
  return idsIn(await collect(reader.read(scope).bytes))
}
