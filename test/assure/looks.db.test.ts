import { describe, expect, test } from 'vitest'
import { openCheck } from '../../src/assure/check-session.ts'
import { acceptFindings } from '../../src/assure/repair/accept-findings.ts'
import { repairStream } from '../../src/assure/repair/repair-stream.ts'
import { findingsOf } from '../../src/assure/repair/which-keys.ts'
import { openVerifier } from '../../src/assure/verify/verify-stream.ts'
import { skipStream } from '../../src/extract/index.ts'
import { type AssureScene, assureScene, quick } from './scene.ts'

const SETTINGS = quick('public.things', {
  position: { column: 'at', stampedBy: 'database', grain: 1n },
  overlap: { kind: 'fixed', amount: 60_000_000n },
})

const SET_UP = `create table public.things (id int primary key, body text, at timestamptz);
  create index on public.things (at);
  insert into public.things select g, 'b' || g, now() - interval '2 hours' + g * interval '1 second' from generate_series(1, 500) g;
  analyze public.things`

const PARTS = `create table public.parts (id int, at timestamptz, primary key (id)) partition by range (id);
  create table public.parts_a partition of public.parts for values from (0) to (1000);
  create table public.parts_b partition of public.parts for values from (1000) to (2000);
  insert into public.parts select g, now() - interval '1 hour' from generate_series(1, 100) g;
  insert into public.parts select g, now() - interval '1 hour' from generate_series(1001, 1020) g;
  create index on public.parts (at); analyze public.parts`

const scene = (name: string, work: (scene: AssureScene) => Promise<void>) =>
  assureScene(name, 'duckdb', SETTINGS, SET_UP, work)

describe('zones (A8)', () => {
  test('rows at S, at W, and one tick below each', () =>
    scene('zones', async ({ run, sql, audit, engine }) => {
      await run()
      const claim = await engine.destination.claim('public.things')
      const watermark = claim!.watermark!.value as bigint
      const settled = watermark - 60_000_000n
      const put = (id: number, us: bigint) =>
        sql(
          `insert into public.things values (${id}, 'x', timestamptz 'epoch' + $1::bigint * interval '1 microsecond')`,
          [String(us)],
        )
      await put(9001, settled)
      await put(9002, watermark)
      await put(9003, settled - 1n)
      await put(9004, watermark - 1n)
      const { counts, findings } = await audit()
      expect(counts).toMatchObject({ lost: 1, at_risk: 2, pending: 1, findings: 1 })
      expect(findings.map(({ key }) => key)).toEqual([['9003']])
    }))

  test('rows that moved since do not make the buckets differ (A9)', () =>
    scene('moved', async ({ run, sql, audit }) => {
      await run()
      await sql(`update public.things set at = now() where id % 20 = 0`)
      const looked = await audit()
      expect(looked.counts).toMatchObject({ findings: 0, pending: 25, equal: 475 })
      expect(looked.differingBuckets).toBe(0)
    }))

  test('rows without a place in the order are told apart, and count once a run has read their lane', () =>
    scene('lanes', async ({ run, sql, audit }) => {
      await sql(`insert into public.things values (9001, 'n', null), (9002, 'i', 'infinity')`)
      await run()
      expect((await audit()).counts).toMatchObject({ findings: 0, equal: 500 })
      await sql(`insert into public.things values (9003, 'n', null), (9004, 'f', now() + interval '1 day')`)
      expect((await audit()).counts).toMatchObject({ suspected: 2, findings: 0 })
      await run()
      expect((await audit()).counts).toMatchObject({ findings: 0 })
    }))
})

describe('two looks (A11)', () => {
  test('a key that is deleted and made again between the looks is no finding', () =>
    scene('again', async ({ run, sql, engine, audit }) => {
      await run()
      await sql(`delete from public.things where id = 7`)
      const sleep = engine.clock.sleep
      const clock = {
        ...engine.clock,
        sleep: async (ms: number) => {
          await sql(`insert into public.things select 7, 'b7', now() - interval '2 hours' + interval '7 seconds'
            where not exists (select from public.things where id = 7)`)
          await sleep(ms)
        },
      }
      Object.assign(engine, { clock })
      const { counts, findings } = await audit({}, { limits: { ...SETTINGS.limits, secondLookMaxMs: 20 } })
      expect(counts.extra ?? 0).toBe(0)
      expect(findings.map(({ verdict }) => verdict)).not.toContain('EXTRA')
    }))

  test('a row that changes at every look is moving, never confirmed', () =>
    scene('moving', async ({ run, sql, engine, audit, spoil }) => {
      await run()
      await spoil('delete from public.things where id = 7')
      let minute = 0
      const clock = {
        ...engine.clock,
        sleep: async () =>
          void (await sql(`update public.things set at = at - interval '${++minute} minutes' where id = 7`)),
      }
      Object.assign(engine, { clock })
      const { counts } = await audit({}, { limits: { ...SETTINGS.limits, secondLookMaxMs: 20 } })
      expect(counts).toMatchObject({ moving: 1, findings: 0 })
    }))

  test('told to stop while it waits for the second look, it has not looked (A2)', () =>
    scene('stopped', async ({ run, sql, engine, settings, audit }) => {
      await run()
      await sql(`delete from public.things where id = 7`)
      const stop = new AbortController()
      const clock = { ...engine.clock, sleep: async () => stop.abort() }
      Object.assign(engine, { clock, signal: stop.signal })
      const limits = { ...SETTINGS.limits, secondLookMaxMs: 30_000 }
      await expect(audit({}, { limits })).rejects.toThrow('told to stop')
      expect(await engine.catalog.findings({ stream: settings.catalogKey, limit: 1 })).toEqual([])
      await expect(audit()).rejects.toThrow('before it was looked at')
    }))

  test('a run that lands in the middle of an audit yields no finding (A6)', () =>
    scene('middle', async ({ run, sql, engine, audit }) => {
      await run()
      await sql(`update public.things set body = 'new', at = now() where id <= 100`)
      const { openLook } = engine.source
      let ran = false
      Object.assign(engine.source, {
        openLook: async (request: Parameters<typeof openLook>[0]) => {
          if (!ran) await run()
          ran = true
          return openLook.call(engine.source, request)
        },
      })
      expect((await audit({ content: true })).counts).toMatchObject({ findings: 0 })
      expect(ran).toBe(true)
    }))
})

describe('deletes become removals only within limits (A27)', () => {
  test.each(['remove', 'mark'] as const)('three deleted rows, exactly three: %s', (mode) =>
    scene(`three ${mode}`, async ({ run, sql, reconcile, audit }) => {
      await run()
      await sql('delete from public.things where id in (3, 4, 5)')
      const first = await reconcile(mode)
      expect(first.counts).toMatchObject({ extra: 3, findings: 3 })
      expect(first.deletes).toEqual({ mode, removed: 3, refused: undefined })
      expect((await reconcile(mode)).counts).toMatchObject({ equal: 497, findings: 0 })
      await sql(`insert into public.things values (3, 'back', now() - interval '30 seconds')`)
      await run()
      expect((await audit()).counts).toMatchObject({ findings: 0, pending: 0 })
    }),
  )

  test('an emptied table removes nothing', () =>
    scene('emptied', async ({ run, sql, reconcile }) => {
      await run()
      await sql('delete from public.things')
      const { deletes, counts } = await reconcile('remove')
      expect(deletes).toEqual({ mode: 'remove', removed: 0, refused: 'the source shows no row at all' })
      expect(counts).toMatchObject({ extra: 500 })
    }))

  test('the rows of a detached partition are not deleted rows', () =>
    assureScene(
      'detached',
      'duckdb',
      quick('public.parts', { position: { column: 'at', stampedBy: 'application', grain: 1n } }),
      PARTS,
      async ({ run, sql, reconcile }) => {
        await run()
        await sql('alter table public.parts detach partition public.parts_b')
        const { deletes, counts } = await reconcile('remove')
        expect(counts).toMatchObject({ extra: 20 })
        expect(deletes).toMatchObject({
          removed: 0,
          refused: expect.stringContaining('1 partitions are gone'),
        })
      },
    ))

  test('nor are they once a run has taken note, unless a person says so', () =>
    assureScene(
      'detached and run',
      'duckdb',
      quick('public.parts', { position: { column: 'at', stampedBy: 'application', grain: 1n } }),
      PARTS,
      async ({ run, sql, reconcile }) => {
        await run()
        await sql('alter table public.parts detach partition public.parts_b')
        expect((await run()).alarms.map(({ name }) => name)).toContain('partition_detached')
        const configured = await reconcile(undefined, { deletes: 'remove' })
        expect(configured.deletes).toMatchObject({
          removed: 0,
          refused: expect.stringContaining('partitions are gone'),
        })
        expect((await reconcile('remove')).deletes.removed).toBe(20)
      },
    ))

  test('more than a share of the table removes nothing, and says the line to type', () =>
    scene('share', async ({ run, sql, reconcile }) => {
      await run()
      await sql('delete from public.things where id <= 101')
      expect((await reconcile('remove')).deletes).toMatchObject({
        removed: 0,
        refused: expect.stringContaining('%'),
      })
    }))
})

describe('limits (A3)', () => {
  test('a list is cut and counting goes on; a count that had to stop is a least', () =>
    scene('caps', async ({ run, audit, spoil }) => {
      await run()
      await spoil('delete from public.things where id <= 300')
      const cut = await audit({}, { limits: { ...SETTINGS.limits, listMaxRows: 20 } })
      expect(cut).toMatchObject({ atLeast: false, capped: true, counts: { lost: 300, findings: 300 } })
      expect(cut.findings).toHaveLength(20)
      const stopped = await audit({}, { limits: { ...SETTINGS.limits, drillMaxRows: 100 } })
      expect(stopped.atLeast).toBe(true)
      expect(stopped.counts.findings).toBeGreaterThan(0)
      expect(stopped.counts.findings).toBeLessThan(300)
    }))
})

describe('repair (A28 to A32)', () => {
  test('an old epoch repairs nothing; the same repair again changes nothing', () =>
    scene('again', async ({ run, audit, repair, spoil, engine, settings }) => {
      await run()
      await spoil('delete from public.things where id = 9')
      const { checkId } = await audit()
      const keys = { kind: 'findings', ids: [checkId] } as const
      expect((await repair({ keys })).closedFindings).toBe(1)
      const second = await repair({ keys: { kind: 'keys', keys: [['9']] } })
      expect(second.repaired?.counts).toMatchObject({ inserted: 0, updated: 0 })
      expect(second.rows).toMatchObject([{ action: 'leave' }])
      const check = await openCheck(engine, settings)
      const nothing = { land: [], remove: [], duplicates: [], removal: 'remove', reason: 'test' } as const
      await expect(repairStream({ engine, settings, check, ...nothing })).resolves.toMatchObject({
        removed: 0,
      })
    }))

  test('more rows than a repair brings are refused with the backfill that would do (A30)', () =>
    scene('limits', async ({ run, repair, settings }) => {
      await run()
      const limits = { ...settings.limits, repairMaxRows: 2 }
      const keys = { kind: 'keys', keys: [['1'], ['2'], ['3']] } as const
      await expect(repair({ keys }, { limits })).rejects.toMatchObject({
        code: 'USAGE',
        hint: expect.stringContaining('plimsoll backfill public.things'),
      })
    }))

  test('accepted findings are closed with who and why, and no alarm stays once a check is clean of them', () =>
    scene('accepted', async ({ run, audit, spoil, engine, settings }) => {
      await run()
      await spoil('delete from public.things where id = 9')
      const { checkId } = await audit()
      expect((await engine.destination.watermarks())[0]).toMatchObject({ lostRowCount: 1 })
      const check = await openCheck(engine, settings)
      const findings = await findingsOf(check, [checkId], 10)
      await expect(acceptFindings(check, findings, { person: 'ann', reason: ' ' })).rejects.toThrow(
        'needs a reason',
      )
      expect(await acceptFindings(check, findings, { person: 'ann', reason: 'test data' })).toBe(1)
      expect((await engine.destination.watermarks())[0]).toMatchObject({ lostRowCount: 0 })
      const [closed] = await engine.catalog.findings({ checkId, limit: 1 })
      expect(closed).toMatchObject({ state: 'accepted', closedBy: 'accepted by ann: test data' })
      expect((await audit()).counts).toMatchObject({ findings: 0, accepted: 1 })
      expect((await engine.catalog.alarms(true)).map(({ name }) => name)).toEqual([])
    }))

  test('a row that healed by itself closes its finding at the next look that covers it', () =>
    scene('healed', async ({ run, audit, spoil, sql, engine, settings }) => {
      await run()
      await spoil('delete from public.things where id = 9')
      await audit()
      await sql(`update public.things set at = now() - interval '1 second' where id = 9`)
      await new Promise((resolve) => setTimeout(resolve, 50))
      await run()
      expect((await audit()).counts).toMatchObject({ findings: 0 })
      expect(await engine.catalog.countFindings(settings.catalogKey, ['confirmed'])).toEqual({})
    }))

  test('found, repaired, found again: two findings, the second names the first (A15)', () =>
    scene('found again', async ({ run, audit, repair, spoil, engine, settings }) => {
      await run()
      const found = async () => {
        await spoil('delete from public.things where id = 9')
        return (await audit()).findings[0]!
      }
      const first = await found()
      await repair({ keys: { kind: 'findings', ids: [first.id] } })
      const second = await found()
      expect(second.id).not.toBe(first.id)
      expect(Object.values(second.evidence)).toContain(first.id)
      const kept = await engine.catalog.findings({ stream: settings.catalogKey, limit: 10 })
      expect(kept.map(({ id, state }) => [id, state]).sort()).toEqual(
        [
          [first.id, 'repaired'],
          [second.id, 'confirmed'],
        ].sort(),
      )
    }))

  test('what is no key, or a finding of nobody, is said', () =>
    scene('typed', async ({ run, repair }) => {
      await run()
      await expect(repair({ keys: { kind: 'keys', keys: [['1', '2']] } })).rejects.toThrow('is no key')
      await expect(repair({ keys: { kind: 'findings', ids: ['a-1'] } })).rejects.toThrow(
        'has no findings a-1',
      )
    }))

  test('a range is repaired by the rows in it that are not alike', () =>
    scene('range', async ({ run, repair, spoil, sql }) => {
      await run()
      await spoil('delete from public.things where id in (9, 400)')
      const { rows } = await sql(
        `select to_char(at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.USZ') as t from public.things where id = 100`,
      )
      const answer = await repair({ keys: { kind: 'range', from: undefined, to: rows[0].t } })
      expect(answer.rows.map(({ keyText }) => keyText)).toEqual(['9'])
      expect(answer.repaired?.counts).toMatchObject({ inserted: 1 })
    }))
})

test('rows that a person skipped are a hole: verify knows it, complete says no, the audit says that we chose it', () =>
  scene('skipped', async ({ run, sql, audit, engine, settings }) => {
    await run()
    await sql(
      `insert into public.things select g, 's', now() - interval '40 milliseconds' from generate_series(901, 903) g`,
    )
    await new Promise((resolve) => setTimeout(resolve, 300))
    const { rows } = await sql(
      `select to_char((now() - interval '100 milliseconds') at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"Z"') as t`,
    )
    await skipStream(engine, { ...settings, overlap: { kind: 'fixed', amount: 0n } }, rows[0].t, {
      person: 'ann',
      reason: 'broken rows',
    })
    const records = [...(await engine.catalog.records(settings.catalogKey, 100))].reverse()
    const verifier = openVerifier(settings.catalogKey, { sinceUs: undefined, head: undefined })
    verifier.take(records)
    expect(verifier.end().fault).toBeUndefined()
    await run({ overlap: { kind: 'fixed', amount: 0n } })
    const looked = await audit({}, { overlap: { kind: 'fixed', amount: 0n } })
    expect(looked.findings.map(({ verdict, mechanism }) => `${verdict} ${mechanism}`)).toEqual([
      'LOST hole',
      'LOST hole',
      'LOST hole',
    ])
  }))
