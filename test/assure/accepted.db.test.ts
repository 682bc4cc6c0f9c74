import { expect, test } from 'vitest'
import { openCheck } from '../../src/assure/check-session.ts'
import { acceptFindings } from '../../src/assure/repair/accept-findings.ts'
import { assureScene, quick } from './scene.ts'

test('what was accepted stays accepted as it is; spoilt again it is a finding again (A15)', () =>
  assureScene(
    'accepted and changed',
    'duckdb',
    quick('public.things', {
      position: { column: 'at', stampedBy: 'database', grain: 1n },
      overlap: { kind: 'fixed', amount: 0n },
    }),
    `create table public.things (id bigint primary key, body text, at timestamptz); create index on public.things (at);
     insert into public.things select g, 'b' || g, now() - interval '2 hours' + g * interval '1 second' from generate_series(1, 50) g`,
    async ({ run, reconcile, spoil, engine, settings }) => {
      await run()
      await spoil(`update public.things set body = 'x' where id = 9`)
      const { findings } = await reconcile()
      await acceptFindings(await openCheck(engine, settings), findings, { person: 'me', reason: 'known' })
      expect((await reconcile()).counts).toMatchObject({ findings: 0, accepted: 1 })
      await spoil(`update public.things set body = 'spoilt' where id = 9`)
      expect((await reconcile()).counts).toMatchObject({ findings: 1 })
    },
  ))
