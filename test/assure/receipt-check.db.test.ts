import { describe, expect, test } from 'vitest'
import { askComplete } from '../../src/assure/complete/complete-through.ts'
import { type AssureScene, assureScene, type DestinationKind, quick } from './scene.ts'

const SETTINGS = quick('public.things', { position: { column: 'at', stampedBy: 'application', grain: 1n } })
const SET_UP = `create table public.things (id int primary key, body text, at timestamptz);
  create index on public.things (at);
  insert into public.things select g, 'b' || g, now() - interval '2 hours' + g * interval '1 second' from generate_series(1, 500) g;
  analyze public.things`

const scene = (name: string, kind: DestinationKind, work: (scene: AssureScene) => Promise<void>) =>
  assureScene(name, kind, SETTINGS, SET_UP, work)

async function lastCheck({ engine, settings }: AssureScene): Promise<Record<string, string> | undefined> {
  const [record] = await engine.catalog.records(settings.catalogKey, 1)
  return (JSON.parse(record!.json) as { receipt_check?: Record<string, string> }).receipt_check
}

describe('receipt check (A13)', () => {
  test.each<DestinationKind>(['duckdb', 'postgres'])('what was read is there: %s', (kind) =>
    scene('equal', kind, async (at) => {
      await at.run()
      expect(await lastCheck(at)).toMatchObject({ verdict: 'equal', rows: '500', rows_there: '500' })
      await at.sql(`update public.things set body = 'x', at = now() - interval '1 minute' where id <= 3`)
      await at.run()
      expect(await lastCheck(at)).toMatchObject({ verdict: 'equal', rows: '3' })
      expect((await at.engine.catalog.alarms(true)).map(({ name }) => name)).toEqual([])
    }),
  )

  test('a trigger at the destination that drops one row is found by the same run', () =>
    scene('dropped', 'postgres', async (at) => {
      await at.run()
      await at.spoil(`create function public.lose() returns trigger language plpgsql as $$ begin if new.id = 601 then return null; end if; return new; end $$;
        create trigger lose before insert on public.things for each row execute function public.lose()`)
      await at.sql(
        `insert into public.things select g, 'n', now() - interval '1 minute' from generate_series(600, 602) g`,
      )
      const { alarms } = await at.run()
      expect(await lastCheck(at)).toMatchObject({ verdict: 'differs', rows: '3', rows_there: '2' })
      expect(alarms.map(({ name }) => name)).toContain('destination_lost_rows')
    }))

  test('what it found stays open, and complete answers no, until an audit has looked at the range (A54, A59)', () =>
    scene('unsettled', 'postgres', async (at) => {
      const { run, audit, repair, engine, settings } = at
      const now = { overlap: { kind: 'fixed', amount: 0n } } as const
      await run(now)
      await at.spoil(`create function public.lose() returns trigger language plpgsql as $$ begin if new.id = 601 then return null; end if; return new; end $$;
        create trigger lose before insert on public.things for each row execute function public.lose()`)
      await at.sql(
        `insert into public.things select g, 'n', now() - interval '20 milliseconds' from generate_series(600, 602) g`,
      )
      await run(now)
      const open = async (): Promise<string[]> => (await engine.catalog.alarms(true)).map(({ name }) => name)
      const failures = async (): Promise<readonly string[]> => {
        const claim = await engine.destination.claim(settings.stream)
        const there = { claims: [claim!], watermarks: [] }
        const throughUs = BigInt(String(claim!.watermark!.value))
        const answer = await askComplete(engine.catalog, [settings], there, { throughUs, require: 'assumed' })
        return answer.streams[0]!.failures
      }
      expect(await failures()).toEqual([expect.stringContaining('landed fewer rows than it read')])
      expect((await audit({ window: 0n }, now)).counts).toMatchObject({ equal: 0, findings: 0 })
      expect(await open()).toEqual(['destination_lost_rows'])
      expect(await failures()).toEqual([expect.stringContaining('landed fewer rows than it read')])
      expect((await audit({}, now)).counts).toMatchObject({ lost: 1 })
      expect(await failures()).toEqual([expect.stringContaining('1 rows are known to be missing')])
      await at.spoil('drop trigger lose on public.things')
      const [lost] = await engine.catalog.findings({ stream: settings.catalogKey, limit: 1 })
      await repair({ keys: { kind: 'findings', ids: [lost!.id] } }, now)
      expect(await failures()).toEqual([])
      await audit({ window: 0n }, now)
      expect(await open()).toEqual(['destination_lost_rows', 'rows_lost'])
      await audit({}, now)
      expect(await open()).toEqual([])
    }))

  test('deletes that nobody can see are a note', () =>
    scene('deleted', 'duckdb', async (at) => {
      await at.run()
      await at.sql(`update public.things set at = now() - interval '1 minute' where id <= 3`)
      await at.run()
      await at.sql('delete from public.things where id = 2')
      await at.sql(`update public.things set body = 'y', at = now() - interval '50 seconds' where id = 3`)
      await at.run()
      expect(await lastCheck(at)).toMatchObject({ verdict: 'more_at_destination' })
      expect((await at.engine.catalog.alarms(true)).map(({ name }) => name)).toEqual([])
    }))

  test('rows that move while the run lands are no difference', () =>
    scene('moving', 'duckdb', async (at) => {
      await at.run()
      await at.sql(`update public.things set at = now() - interval '1 minute' where id <= 20`)
      await at.sql(`update public.things set at = now() + interval '1 hour' where id <= 5`)
      await at.run()
      expect(await lastCheck(at)).toMatchObject({ verdict: 'equal', rows: '15' })
    }))
})
