import { describe, expect, test } from 'vitest'
import { openCheck } from '../../src/assure/check-session.ts'
import { repairStream } from '../../src/assure/repair/repair-stream.ts'
import { type AssureScene, assureScene, type DestinationKind, quick } from './scene.ts'

const SETTINGS = quick('public.things', {
  position: { column: 'at', stampedBy: 'database', grain: 1n },
  overlap: { kind: 'fixed', amount: 0n },
})
const SET_UP = `create table public.things (id bigint primary key, body text, at timestamptz);
  create index on public.things (at);
  insert into public.things select g, 'b' || g, now() - interval '2 hours' + g * interval '1 second' from generate_series(1, 300) g;
  analyze public.things`

const scene = (name: string, kind: DestinationKind, work: (scene: AssureScene) => Promise<void>) =>
  assureScene(`asked ${name}`, kind, SETTINGS, SET_UP, work)

test.each<DestinationKind>(['duckdb', 'postgres'])(
  'a row that went from the source after its finding was made is not removed on one look (A27, A31): %s',
  (kind) =>
    scene('gone since', kind, async ({ run, audit, repair, reconcile, spoil, sql }) => {
      await run()
      await spoil(`update public.things set "at" = "at" - interval '1 day' where id = 7`)
      const { checkId } = await audit()
      await sql('delete from public.things where id = 7')
      const answer = await repair({ keys: { kind: 'findings', ids: [checkId] }, deletes: 'remove' })
      expect(answer).toMatchObject({ repaired: { removed: 0 }, closedFindings: 0 })
      expect((await reconcile()).findings.map(({ verdict }) => verdict)).toEqual(['EXTRA'])
    }),
)

test('what the source has again when the lease is held is not removed', () =>
  scene('again', 'postgres', async ({ run, reconcile, engine, settings }) => {
    await run()
    const check = await openCheck(engine, settings)
    const nothing = { land: [], duplicates: [], reason: 'test', removal: 'remove' } as const
    const repaired = await repairStream({ engine, settings, check, ...nothing, remove: ['8'] })
    expect(repaired).toMatchObject({ removed: 0 })
    expect((await reconcile()).counts).toMatchObject({ equal: 300, findings: 0 })
  }))

describe('keys as a person types them', () => {
  test('what is no key of the table is refused, not looked for', () =>
    scene('no key', 'duckdb', async ({ run, repair }) => {
      await run()
      for (const key of [[null], ['abc'], [''], ['1.5'], [' 7'], ['true'], ['1', '2'], []]) {
        const answer = repair({ keys: { kind: 'keys', keys: [key] }, apply: false })
        await expect(answer, JSON.stringify(key)).rejects.toMatchObject({ code: 'USAGE' })
      }
      const { rows } = await repair({ keys: { kind: 'keys', keys: [['7'], ['+08']] }, apply: false })
      expect(rows.map(({ keyText, action }) => `${keyText} ${action}`)).toEqual(['7 leave', '8 leave'])
    }))

  test('a range that holds nothing is refused', () =>
    scene('no range', 'duckdb', async ({ run, repair }) => {
      await run()
      const range = { kind: 'range', from: '2020-01-02 00:00:00Z', to: '2020-01-01 00:00:00Z' } as const
      await expect(repair({ keys: range })).rejects.toMatchObject({ code: 'USAGE' })
    }))
})
