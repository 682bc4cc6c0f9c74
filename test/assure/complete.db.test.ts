import { expect, test } from 'vitest'
import { askComplete, type CompleteQuestion } from '../../src/assure/complete/complete-through.ts'
import { completenessIn } from '../../src/kernel/completeness.ts'
import type { Finding } from '../../src/kernel/finding.ts'
import { clockUs, pause, Scene, type SceneOptions, STAMPED, type Way } from '../cases/scene.ts'
import { seededRandom } from '../support/random.ts'

const DUCKDB: Way = { overlap: undefined, destination: 'duckdb' }
const POSTGRES: Way = { overlap: undefined, destination: 'postgres' }
const MINUTE_MS = 60_000

/** Numbered first, then stamped by the clock: what was numbered before an instant was stamped before it, or not at all. */
const KINDS: readonly (readonly [string, string, SceneOptions])[] = [
  [
    'sequence',
    `create table t (id bigint generated always as identity (cache 1) primary key, v text,
       numbered timestamptz not null default clock_timestamp())`,
    { settings: { position: { column: 'id', kind: 'integer', flavour: 'sequence' }, appendOnly: true } },
  ],
  [
    'xid8',
    `create table t (id bigserial primary key, v text, c xid8, numbered timestamptz);
     create function stamp() returns trigger language plpgsql as
       $$ begin new.c := pg_current_xact_id(); new.numbered := clock_timestamp(); return new; end $$;
     create trigger stamp before insert or update on t for each row execute function stamp();
     alter table t enable always trigger stamp; create index on t (c)`,
    { settings: { position: { column: 'c', kind: 'xid8' } } },
  ],
  [
    'timestamptz',
    `create table t (id bigserial primary key, v text, at timestamptz not null default clock_timestamp(),
       numbered timestamptz generated always as (at) stored); create index on t (at)`,
    {},
  ],
  [
    'timestamp',
    `create table t (id bigserial primary key, v text,
       at timestamp not null default (clock_timestamp() at time zone 'Europe/Berlin'),
       numbered timestamptz not null default clock_timestamp()); create index on t (at)`,
    {
      settings: {
        position: {
          column: 'at',
          kind: 'timestamp',
          zone: 'Europe/Berlin',
          stampedBy: 'database',
          grain: 1n,
        },
      },
    },
  ],
]

for (const [kind, table, options] of KINDS) {
  test(`A55: a row of a ${kind} order that got its place before t0 is there once complete_through ≥ t0`, {
    timeout: 2 * MINUTE_MS,
  }, async () => {
    // A destination on the same server would take transaction ids, too.
    const scene = await Scene.open(DUCKDB, table, { columns: ['id'], ...options })
    const random = seededRandom(7)
    const slow = await scene.session()
    const fast = await scene.session()
    const seen = new Set<string>()
    let held: string | undefined
    for (let round = 0; round < 14; round++) {
      const begin = async (): Promise<void> => {
        await slow.query("begin; insert into t (v) values ('slow')")
        held = await clockUs(scene.at.sourceUrl)
      }
      if (round % 8 === 0) await begin()
      for (let i = random.below(4); i >= 0; i--) await fast.query("insert into t (v) values ('fast')")
      if (random.chance(0.3)) await fast.query("begin; insert into t (v) values ('gone'); rollback")
      // The newest of all is still open: nobody who has ended came after it.
      if (round % 8 === 4) await begin()
      await pause(60)
      await scene.runWell()
      const through = await completeThroughOf(scene)
      seen.add(through ?? 'none')
      if (through !== undefined) {
        const isBefore = `numbered < timestamptz 'epoch' + ${through} * interval '1 microsecond'`
        const expected = await scene.sql(`select id from t where ${isBefore} order by id`)
        const landed = new Set((await scene.landed()).map(([id]) => id))
        expect(expected.filter(([id]) => !landed.has(id!))).toEqual([])
        // While it is open, nobody may say that its moment is over.
        if (held !== undefined) expect(BigInt(through)).toBeLessThan(BigInt(held))
      }
      if (held !== undefined && round % 4 === 2) {
        await slow.query('commit')
        held = undefined
      }
    }
    if (held !== undefined) await slow.query('commit')
    const t0 = BigInt(await clockUs(scene.at.sourceUrl))
    await pause(120)
    await scene.runWell()
    await scene.runWell()
    // It is no answer that never says anything.
    expect(seen.size).toBeGreaterThan(3)
    expect(BigInt((await completeThroughOf(scene))!)).toBeGreaterThanOrEqual(t0)
  })
}

async function completeThroughOf(scene: Scene): Promise<string | undefined> {
  const claim = await scene.claim()
  const said = completenessIn(claim!.facts)?.completeThroughUs ?? undefined
  const [row] = await scene.destination.watermarks()
  expect(row!.completeThroughUs ?? undefined).toBe(said)
  const record = (await scene.records()).at(-1)
  expect(record.complete_through ?? undefined).toBe(said)
  return said
}

const ask = async (scene: Scene, question: Partial<CompleteQuestion>, isThere = true) => {
  const there = { claims: await scene.destination.claims(), watermarks: await scene.destination.watermarks() }
  return askComplete(scene.engine.catalog, [scene.settings], isThere ? there : undefined, {
    throughUs: 0n,
    require: 'assumed',
    ...question,
  })
}

test('A54: an open transaction holds the claim back, and is named; over it, yes', {
  timeout: MINUTE_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, STAMPED)
  const slow = await scene.session()
  await scene.runWell()
  await slow.query("begin; insert into t values (1, 'slow')")
  await pause(80)
  const throughUs = BigInt(await clockUs(scene.at.sourceUrl))
  await pause(80)
  await scene.runWell()
  await scene.runWell()
  for (const isThere of [true, false]) {
    const held = await ask(scene, { throughUs }, isThere)
    expect(held.holds).toBe(false)
    expect(held.heldBy).toMatchObject({
      stream: 'public.t',
      cause: expect.stringContaining('application writer'),
    })
    expect(held.streams[0]!.failures).toEqual([expect.stringMatching(/^complete through .* only$/)])
    expect(held.completeThroughUs! < throughUs).toBe(true)
  }
  expect((await scene.destination.watermarks())[0]!.heldBy).toContain('application writer')
  await slow.query('commit')
  await pause(80)
  await scene.runWell()
  for (const isThere of [true, false]) {
    const done = await ask(scene, { throughUs, require: 'proven' }, isThere)
    expect(done).toMatchObject({ holds: true, heldBy: undefined })
  }
  expect((await scene.destination.watermarks())[0]!.heldBy).toBeNull()
})

test('A54: a lost row below makes it no, its repair yes; one above does not matter', {
  timeout: MINUTE_MS,
}, async () => {
  const scene = await Scene.open(DUCKDB, STAMPED)
  await scene.runWell()
  await pause(80)
  await scene.runWell()
  const throughUs = (await ask(scene, {})).completeThroughUs!
  const lost = (id: string, us: bigint, state: Finding['state']): Finding => ({
    id,
    checkId: 'a-1',
    stream: scene.settings.catalogKey,
    generation: 1,
    keyText: id,
    key: [id],
    verdict: 'LOST',
    mechanism: 'late_commit',
    grade: 'shown',
    state,
    sourcePosition: String(us),
    destinationPosition: null,
    columns: [],
    evidence: {},
    foundUs: '0',
    changedUs: '0',
    closedBy: null,
  })
  const { catalog } = scene.engine
  await catalog.putFindings([lost('above', throughUs, 'confirmed'), lost('extra', 5n, 'withdrawn')])
  expect((await ask(scene, { throughUs })).holds).toBe(true)
  await catalog.putFindings([lost('below', throughUs - 1n, 'confirmed'), lost('suspect', 5n, 'suspected')])
  const missing = await ask(scene, { throughUs })
  expect(missing.holds).toBe(false)
  expect(missing.streams[0]!.failures).toEqual([
    '2 rows are known to be missing or stale (plimsoll audit found them)',
  ])
  expect((await ask(scene, { throughUs: 5n })).holds).toBe(true)
  await catalog.putFindings([lost('below', throughUs - 1n, 'repaired'), lost('suspect', 5n, 'withdrawn')])
  expect((await ask(scene, { throughUs })).holds).toBe(true)
})

test('A54: a hole or an unsettled decree below makes it no; without a claim never; less proof than asked for', {
  timeout: MINUTE_MS,
}, async () => {
  const scene = await Scene.open(POSTGRES, STAMPED, { settings: { fence: { holdMaxMs: 150 } } as never })
  const never = await ask(scene, {})
  expect(never).toMatchObject({ holds: false, heldBy: { cause: 'never claimed: nothing has landed yet' } })
  const slow = await scene.session()
  await scene.runWell()
  await slow.query("begin; insert into t values (1, 'slow')")
  await pause(300)
  const throughUs = BigInt(await clockUs(scene.at.sourceUrl))
  await pause(300)
  await scene.runWell()
  await scene.runWell()
  const decreed = await ask(scene, { throughUs })
  expect(decreed.holds).toBe(false)
  expect(decreed.streams[0]!.failures).toEqual([expect.stringContaining('it rests on a decree')])
  expect((await ask(scene, { throughUs, require: 'proven' })).streams[0]!.failures).toContain(
    'its claim is assumed, not proven',
  )
  expect((await scene.destination.watermarks())[0]!.decreeCount).toBe(1)
  await slow.query('commit')
  await pause(80)
  await scene.runWell()
  expect(await ask(scene, { throughUs })).toMatchObject({ holds: true })
  expect((await scene.destination.watermarks())[0]!.decreeCount).toBe(0)
  const kinds = (await scene.records()).map(({ kind, bill }) => `${kind} ${bill ?? ''}`.trim())
  expect(kinds).toContain('decree')
  expect(kinds.slice(-2)).toEqual(['bill 1', 'run'])
})

test('A54: of two streams the least counts; a lost catalog changes nothing, its decrees survive in the claim', {
  timeout: MINUTE_MS,
}, async () => {
  const scene = await Scene.open(
    POSTGRES,
    `${STAMPED} create table u (id bigint primary key, v text, at timestamptz default now()); create index on u (at)`,
  )
  await scene.runWell()
  await pause(100)
  const u = {
    stream: 'public.u',
    catalogKey: 'test/public.u',
    table: { schema: 'public', name: 'u' },
    target: { schema: 'public', name: 'u' },
  }
  await scene.runWell(u)
  const there = { claims: await scene.destination.claims(), watermarks: await scene.destination.watermarks() }
  const streams = [{ ...scene.settings, ...u }, scene.settings]
  const question = { throughUs: 0n, require: 'assumed' } as const
  const both = await askComplete(scene.engine.catalog, streams, there, question)
  const least = both.streams
    .map(({ completeThroughUs }) => completeThroughUs!)
    .sort((a, b) => (a < b ? -1 : 1))[0]!
  expect(both.completeThroughUs).toBe(least)
  expect(both.streams[1]!.completeThroughUs).toBe(least)
  const late = await askComplete(scene.engine.catalog, streams, there, { ...question, throughUs: least + 1n })
  expect(late.heldBy).toMatchObject({
    stream: 'public.t',
    cause: expect.stringContaining('nobody: its last run'),
  })
  await scene.restart({ stateDir: `${scene.at.stateDir}-new` })
  const alone = await askComplete(scene.engine.catalog, streams, there, { ...question, throughUs: least })
  expect(alone).toMatchObject({ holds: true, completeThroughUs: least })
})

for (const way of [DUCKDB, POSTGRES]) {
  test(`A56: the query of the specification answers at ${way.destination}`, {
    timeout: MINUTE_MS,
  }, async () => {
    const scene = await Scene.open(
      way,
      `${STAMPED} create table customers as select * from t; create index on customers (at)`,
    )
    const stream = (name: string) => ({
      stream: name,
      catalogKey: `shop/${name}`,
      target: { ...scene.settings.target, name },
      key: ['id'],
    })
    await scene.runWell(stream('orders'))
    const query = `SELECT min(complete_through) AS complete_through, count(complete_through) = 2 AS all_known, bool_and(lost_row_count = 0 AND decree_count = 0) AS clean,
      (SELECT stream FROM plimsoll_watermarks WHERE pipeline = 'shop' AND stream IN ('customers','orders') ORDER BY complete_through NULLS FIRST LIMIT 1) AS held_by
    FROM plimsoll_watermarks WHERE pipeline = 'shop' AND stream IN ('customers','orders')`
    const [[, known]] = (await scene.there(query)) as [string[]]
    expect(known).toMatch(/^f/)
    await pause(100)
    await scene.runWell(stream('customers'))
    const [[through, both, clean, heldBy]] = (await scene.there(query)) as [string[]]
    expect([both![0], clean![0], heldBy]).toEqual(['t', 't', 'orders'])
    expect(through).toMatch(/\d/)
    await scene.destination.noteCompleteness('customers', { lostRowCount: 3 })
    expect((await scene.there(query))[0]![2]).toMatch(/^f/)
  })
}

test('A54: rows that an audit counted are missing still, though its catalog was lost and runs have passed since', {
  timeout: MINUTE_MS,
}, async () => {
  const scene = await Scene.open(POSTGRES, STAMPED)
  await scene.runWell()
  expect((await ask(scene, { throughUs: 5n })).holds).toBe(true)
  // What this catalog never found stands beside the data alone.
  await scene.destination.noteCompleteness(scene.settings.stream, { lostRowCount: 2 })
  const answer = await ask(scene, { throughUs: 5n })
  expect(answer.streams[0]!.failures).toEqual(['2 rows are known to be missing'])
})
