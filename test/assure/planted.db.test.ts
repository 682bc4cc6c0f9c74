import { describe, expect, test } from 'vitest'
import { type AssureScene, assureScene, type DestinationKind, quick } from './scene.ts'

const SETTINGS = quick('public.orders', {
  position: { column: 'updated_at', stampedBy: 'database', grain: 1n },
  overlap: { kind: 'fixed', amount: 0n },
})

const ROWS = 3_000
const SET_UP = `create table public.orders (id bigint primary key, customer text, note text, amount numeric(12,4),
    share double precision, placed_at timestamptz, updated_at timestamptz);
  create index on public.orders (updated_at);
  insert into public.orders select g, 'customer ' || g, case when g % 7 = 0 then null when g % 11 = 0 then '' else 'note ' || g end,
    g * 1.2345, case when g % 13 = 0 then 0 else g / 7.0 end, now() - g * interval '1 minute', now() - interval '90 days' + g * interval '1 minute'
  from generate_series(1, ${ROWS}) g;
  analyze public.orders`

const scene = (name: string, kind: DestinationKind, work: (scene: AssureScene) => Promise<void>) =>
  assureScene(name, kind, SETTINGS, SET_UP, work)

// DuckDB enforces no key: the second copy stands where no window of settled rows holds it (F31).
test('a key that stands twice at the destination is found, wherever its second copy stands', () =>
  scene('doubled', 'duckdb', async ({ run, reconcile, repair, spoil }) => {
    await run()
    await spoil(
      `insert into public.orders select * replace (updated_at + interval '100 days' as updated_at) from public.orders where id in (8, 9)`,
    )
    await spoil('insert into public.orders select * from public.orders where id = 12')
    const compared = await reconcile()
    expect(verdicts(compared)).toEqual({ DUPLICATE: ['12', '8', '9'] })
    await repair({ keys: { kind: 'findings', ids: [compared.checkId] } })
    expect((await reconcile()).counts).toMatchObject({ equal: ROWS, findings: 0 })
  }))

describe.each<DestinationKind>(['duckdb', 'postgres'])('to %s', (kind) => {
  test('an untouched table is equal, and the residual says how far that reaches (A4)', () =>
    scene('equal', kind, async ({ run, audit, reconcile }) => {
      expect((await run()).error).toBeUndefined()
      const looked = await audit()
      expect(looked.counts).toMatchObject({ equal: ROWS, findings: 0, pending: 0 })
      expect(looked.residual).toMatch(/^equal: 3,000 rows, .* 60-bit words, position < .*chance below 2/)
      const compared = await reconcile()
      expect(compared.counts).toMatchObject({ equal: ROWS, findings: 0 })
      expect(compared.residual).toContain('7 columns')
    }))

  test('each planted fault is found, no other, and repaired (A10, A28)', () =>
    scene('planted', kind, async ({ run, audit, reconcile, repair, sql, spoil, engine }) => {
      await run()
      await spoil('delete from public.orders where id in (5, 17)')
      await spoil(`update public.orders set updated_at = updated_at - interval '1 day' where id = 20`)
      await spoil(`update public.orders set updated_at = updated_at + interval '1 day' where id = 21`)
      await sql(`delete from public.orders where id = 30`)
      await sql(
        `insert into public.orders select ${ROWS + 1}, 'old', 'x', 1, 1, now(), now() - interval '80 days'`,
      )
      await spoil(`update public.orders set note = note || ' ' where id = 40`)
      await spoil(`update public.orders set amount = amount + 0.0001 where id = 41`)
      await spoil(`update public.orders set share = -share where id = 26`)
      await spoil(`update public.orders set note = '' where id = 7`)
      const looked = await audit()
      expect(looked.counts).toMatchObject({ lost: 3, stale: 1, backdated: 1, extra: 1, findings: 6 })
      const compared = await reconcile()
      expect(verdicts(compared)).toEqual({
        LOST: ['17', '3001', '5'],
        STALE: ['20'],
        BACKDATED: ['21'],
        EXTRA: ['30'],
        UNBUMPED: ['40', '41', '7'],
      })
      expect(columnsOf(compared, '40')).toEqual(['note equal without trailing spaces'])
      expect(columnsOf(compared, '41')).toEqual(['amount equal as numbers rounded to 3 digits'])
      expect(columnsOf(compared, '7')).toEqual(['note NULL at the source'])
      const before = await engine.destination.claim('public.orders')
      const keys = { kind: 'findings', ids: [compared.checkId] } as const
      const dry = await repair({ keys, apply: false })
      expect(dry.rows.map(({ action }) => action).sort()).toEqual(
        ['insert', 'insert', 'insert', 'remove', 'update', 'update', 'update', 'update', 'update'].sort(),
      )
      const repaired = await repair({ keys, deletes: 'remove' })
      expect(repaired.stillOpen).toEqual([])
      expect(repaired.closedFindings).toBe(9)
      const open = (await engine.catalog.alarms(true)).map(({ name }) => name)
      expect(open).toEqual(['rows_lost', 'rows_unbumped'])
      const after = await engine.destination.claim('public.orders')
      expect(after?.watermark).toEqual(before?.watermark)
      expect((await reconcile()).counts).toMatchObject({ equal: ROWS, findings: 0 })
      expect((await engine.catalog.alarms(true)).map(({ name }) => name)).toEqual([])
    }))
})

function verdicts(audit: {
  findings: readonly { verdict: string; key: readonly string[] }[]
}): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const { verdict, key } of audit.findings)
    found[verdict] = [...(found[verdict] ?? []), key.join()].sort()
  return found
}

function columnsOf(
  audit: {
    findings: readonly { key: readonly string[]; columns: readonly { column: string; how: string }[] }[]
  },
  key: string,
): string[] {
  return audit.findings
    .filter((each) => each.key.join() === key)
    .flatMap(({ columns }) => columns.map(({ column, how }) => `${column} ${how}`))
}

test('a row that is missing from a table without a key is LOST, whatever else is too many there (A27)', () =>
  assureScene(
    'keyless',
    'postgres',
    quick('public.log', {
      position: { column: 'at', stampedBy: 'database', grain: 1n },
      overlap: { kind: 'fixed', amount: 0n },
      appendOnly: true,
    }),
    `create table public.log (what text, at timestamptz); create index on public.log (at);
     insert into public.log select 'w' || g, now() - interval '9 days' + g * interval '1 minute' from generate_series(1, 50) g`,
    async ({ run, reconcile, spoil, sql }) => {
      expect((await run()).error).toBeUndefined()
      await spoil(`delete from public.log where what = 'w7'`)
      await sql(`delete from public.log where what = 'w9'`)
      const { findings } = await reconcile()
      expect(findings.map(({ verdict, key }) => `${verdict} ${key[0]}`).sort()).toEqual([
        'EXTRA w9',
        'LOST w7',
      ])
    },
  ))
