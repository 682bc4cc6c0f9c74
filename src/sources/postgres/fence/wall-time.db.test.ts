import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { formatTimestampUs, parseTimestamp, US_PER_DAY } from '../../../kernel/calendar.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { Pool } from '../connect/pool.ts'
import { wallTime } from './queries.ts'
import { instantToPosition } from './to-position.ts'

const order = (rest: Partial<PositionOrder>): PositionOrder => ({
  column: 'u',
  kind: 'timestamp',
  tick: 1n,
  grain: 1n,
  stampedBy: 'database',
  ...rest,
})

describe.each(postgresServers())('bounds in the column’s own terms, PostgreSQL $major', (server) => {
  let pool: Pool
  beforeAll(async () => {
    pool = new Pool(await freshDatabase(server, 'wall'))
  })
  afterAll(() => pool.close())

  const bound = async (instant: string, rest: Partial<PositionOrder>): Promise<string> => {
    const { value } = await instantToPosition(await pool.control(), order(rest), parseTimestamp(instant)!)
    return typeof value === 'bigint' ? formatTimestampUs(value) : value
  }

  test.each([
    ['2025-10-26 00:30Z', '2025-10-26 02:00:00.000000'],
    ['2025-10-26 00:59:59.999999Z', '2025-10-26 02:00:00.000000'],
    ['2025-10-26 01:00Z', '2025-10-26 02:00:00.000000'],
    ['2025-10-26 01:10Z', '2025-10-26 02:10:00.000000'],
    ['2025-10-26 01:30Z', '2025-10-26 02:30:00.000000'],
    ['2025-10-25 23:59Z', '2025-10-26 01:59:00.000000'],
    ['2026-03-29 00:59:59Z', '2026-03-29 01:59:59.000000'],
    ['2026-03-29 01:00Z', '2026-03-29 03:00:00.000000'],
  ])('OWN-9, E6: Berlin, %s gives %s', async (instant, wall) => {
    expect(await bound(instant, { zone: 'Europe/Berlin' })).toBe(wall)
  })

  test.each([
    ['America/Chicago', '2026-11-01 07:30Z', '2026-11-01 01:30:00.000000'],
    ['America/Chicago', '2026-11-01 06:30Z', '2026-11-01 01:00:00.000000'],
    ['Europe/Moscow', '2014-10-25 21:30Z', '2014-10-26 01:00:00.000000'],
    ['Europe/Moscow', '2014-10-25 22:30Z', '2014-10-26 01:30:00.000000'],
    ['Asia/Kolkata', '2026-01-01 00:00Z', '2026-01-01 05:30:00.000000'],
  ])('ZONE-2: %s, %s gives %s', async (zone, instant, wall) => {
    expect(await bound(instant, { zone })).toBe(wall)
  })

  test.each([
    'Europe/Berlin',
    'America/Chicago',
    'Europe/Moscow',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
    'Pacific/Apia',
    'Asia/Tehran',
    'America/St_Johns',
  ])(
    'no later instant undercuts the bound, nor is it lower than need be, around each change: %s',
    async (zone) => {
      const [row] = await pool.ask(
        `WITH hours AS (SELECT h, h AT TIME ZONE $1 AS wall
                      FROM generate_series(timestamptz '2010-09-01Z', timestamptz '2014-12-01Z', interval '1 hour') h),
            changes AS MATERIALIZED (
              SELECT h FROM (SELECT h, lead(wall) OVER (ORDER BY h) - wall AS step FROM hours) s
              WHERE step <> interval '1 hour'),
            instants AS MATERIALIZED (
              SELECT h, u, u AT TIME ZONE $1 AS wall, ${wallTime('u', '$1')} AS bound
              FROM changes, generate_series(h - interval '5 hours', h + interval '9 hours', interval '10 minutes') u),
            judged AS (SELECT *, min(wall) OVER (PARTITION BY h ORDER BY u DESC) AS least FROM instants)
       SELECT count(*) > 0 AS changes, count(*) FILTER (WHERE bound > least) AS above,
              count(*) FILTER (WHERE bound < least - interval '10 minutes') AS below
       FROM judged WHERE u < h + interval '4 hours'`,
        [zone],
      )
      expect(row).toEqual({ changes: 't', above: '0', below: '0' })
    },
  )

  test('a date closes when its day is over everywhere in its zone (E6); grains are floored in wall time (E5)', async () => {
    const day = { kind: 'date', zone: 'Europe/Berlin', tick: US_PER_DAY, grain: US_PER_DAY } as const
    expect(await bound('2026-03-01 22:59:59.999999Z', day)).toBe('2026-03-01 00:00:00.000000')
    expect(await bound('2026-03-01 23:00Z', day)).toBe('2026-03-02 00:00:00.000000')
    const hour = { zone: 'Asia/Kolkata', grain: 3_600_000_000n }
    expect(await bound('2026-01-01 00:10Z', hour)).toBe('2026-01-01 05:00:00.000000')
    const before = { kind: 'timestamptz', grain: 60_000_000n } as const
    expect(await bound('1969-12-31 23:59:30Z', before)).toBe('1969-12-31 23:59:00.000000')
  })

  test('E8: epochs and identifiers are the least value of the floored instant', async () => {
    const instant = '2026-03-01 00:00:00.123456Z'
    const epoch = { kind: 'integer', flavour: 'epoch' } as const
    const value = async (unit: 's' | 'ms' | 'us' | 'ns') =>
      (await instantToPosition(await pool.control(), order({ ...epoch, unit }), parseTimestamp(instant)!))
        .value
    expect(await Promise.all([value('s'), value('ms'), value('us'), value('ns')])).toEqual([
      1772323200n,
      1772323200123n,
      1772323200123456n,
      1772323200123456000n,
    ])
    const ulid = await bound(instant, { kind: 'text', encoding: 'ulid' })
    expect(ulid).toMatch(/^[0-9A-Z]{10}0{16}$/)
    expect(await bound('2026-03-01 00:00:00.123999Z', { kind: 'text', encoding: 'ulid' })).toBe(ulid)
    expect(await bound(instant, { kind: 'text', encoding: 'uuidv7' })).toMatch(/^019ca6/)
  })
})
