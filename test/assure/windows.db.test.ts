import { expect, test } from 'vitest'
import { zoneBounds } from '../../src/assure/audit/bounds.ts'
import { findDifferences } from '../../src/assure/audit/find-differences.ts'
import { openCheck, openLooks } from '../../src/assure/check-session.ts'
import { assureScene, quick } from './scene.ts'

const SETTINGS = quick('public.things', {
  position: { column: 'at', stampedBy: 'application', grain: 1n },
  overlap: { kind: 'fixed', amount: 0n },
})
const SET_UP = `create table public.things (id int primary key, body text, at timestamptz);
  create index on public.things (at);
  insert into public.things select g, 'b' || g, now() - interval '5 hours' + g * interval '1 second' from generate_series(1, 9000) g;
  analyze public.things`

// A table of millions of rows is compared in windows of positions: the same rows are found as in one (A5, A14).
test('windows find what one scan finds, each row once', () =>
  assureScene('windows', 'duckdb', SETTINGS, SET_UP, async ({ run, sql, spoil, engine, settings }) => {
    await run()
    await spoil('delete from public.things where id in (3, 4500, 8999)')
    await sql(`update public.things set at = at - interval '1 hour' where id in (6000, 7000)`)
    await sql('delete from public.things where id = 77')
    const check = await openCheck(engine, settings)
    const look = async (rowCountEstimate: number) => {
      const looks = await openLooks(check)
      let pauses = 0
      const bounds = zoneBounds(check.choice.order, looks.claim, 0n, looks.source.takenUs, 5_000)
      const found = await findDifferences({
        looks,
        bounds,
        word: 'row',
        from: undefined,
        hasKey: true,
        rowCountEstimate,
        openKeysMax: 1_000,
        drillMaxRows: 1_000_000,
        nowMs: () => 0,
        sleep: async () => void pauses++,
      })
      await looks.close()
      const suspects = found.suspects.map(({ keyText, judgement }) => `${keyText} ${judgement}`).sort()
      return { suspects, pauses, rows: [found.sourceRows, found.destinationRows, found.equalRows] }
    }
    const one = await look(9_000)
    const many = await look(20_000_000)
    expect(one.pauses).toBe(0)
    expect(many.pauses).toBeGreaterThan(5)
    expect(one.suspects).toEqual([
      '3 LOST',
      '4500 LOST',
      '6000 BACKDATED',
      '7000 BACKDATED',
      '77 EXTRA',
      '8999 LOST',
    ])
    expect(many.suspects).toEqual(one.suspects)
    expect(many.rows).toEqual(one.rows)
  }))
