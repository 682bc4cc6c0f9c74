import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFacts, writeFacts } from '../../src/extract/facts.ts'
import { backfillStream, runStream, type StreamResult } from '../../src/extract/index.ts'
import { type OpenEngine, openEngine, streamSettings } from '../support/engine.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

// What a table may become between two runs without one row of it being written (spec E67).
const server = postgresServers()[0]!
const SETTINGS = streamSettings('public.things', {
  position: { column: 'at', stampedBy: 'database', grain: 1n },
  fence: { guardMs: 10, fenceSampleMs: 5 },
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-schema-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Scene extends OpenEngine {
  sql(text: string): Promise<pg.QueryResult>
  run(): Promise<StreamResult>
  /** Text of an open alarm. */
  alarm(name: string): Promise<string | undefined>
}

async function scene(name: string, create: string, work: (scene: Scene) => Promise<void>): Promise<void> {
  const sourceUrl = await freshDatabase(server, name)
  const client = new pg.Client({ connectionString: sourceUrl })
  await client.connect()
  await client.query(create)
  const file = name.replaceAll(/\W+/g, '-')
  const open = await openEngine({
    sourceUrl,
    destinationUrl: `duckdb://${join(folder, `${file}.duckdb`)}`,
    stateDir: join(folder, file),
  })
  try {
    await work({
      ...open,
      sql: (text) => client.query(text),
      async run() {
        await new Promise((resolve) => setTimeout(resolve, 25))
        return runStream(open.engine, SETTINGS)
      },
      alarm: async (wanted) =>
        (await open.engine.catalog.alarms(true)).find((alarm) => alarm.name === wanted)?.text,
    })
  } finally {
    await open.close()
    await client.end()
  }
}

const PLAIN = `create type public.mood as enum ('sad', 'ok');
  create table public.things (id int primary key, body text, mood public.mood, moods public.mood[], at timestamptz not null);
  create index on public.things (at);
  insert into public.things select g, 'b' || g, 'sad', '{sad,ok}', now() - interval '1 hour' from generate_series(1, 10) g`

test('E67 a column dropped and added again under its name and type stops, for old rows would keep its old values', () =>
  scene('column again', PLAIN, async ({ run, sql }) => {
    expect((await run()).error).toBeUndefined()
    await sql("alter table things drop column body; alter table things add column body text default 'new'")
    const { error } = await run()
    expect(error).toMatchObject({ code: 'SCHEMA_CHANGED', message: expect.stringContaining('body') })
  }))

test('E67 two columns that changed their names with each other stop', () =>
  scene('names swapped', PLAIN, async ({ run, sql }) => {
    await sql('alter table things add column other text')
    await run()
    await sql(`alter table things rename body to x; alter table things rename other to body;
      alter table things rename x to other`)
    expect((await run()).error).toMatchObject({ code: 'SCHEMA_CHANGED' })
  }))

test('E67 a claim that knows names and types alone is accepted, and learns the rest', () =>
  scene('old claim', PLAIN, async ({ run, sql, engine, alarm }) => {
    await run()
    const claim = (await engine.destination.claim('public.things'))!
    const facts = readFacts(claim.facts)
    const columns = facts.columns.map(({ name, nativeType }) => ({ name, nativeType }))
    const { partitions: _, ...old } = facts
    await engine.destination.writeClaim({ ...claim, facts: writeFacts({ ...old, columns }) }, claim)
    await sql('alter table things drop column body; alter table things add column body text')
    expect((await run()).error).toBeUndefined()
    expect(await alarm('column_changed')).toBeUndefined()
    await sql('alter table things drop column body; alter table things add column body text')
    expect((await run()).error).toMatchObject({ code: 'SCHEMA_CHANGED' })
  }))

test('E67 a renamed label of an enum is an alarm with the backfill; an added one is nothing', () =>
  scene('labels', PLAIN, async ({ run, sql, alarm, engine }) => {
    await run()
    await sql("alter type mood add value 'meh' before 'ok'")
    await run()
    expect(await alarm('labels_changed')).toBeUndefined()
    await sql("alter type mood rename value 'sad' to 'blue'")
    expect((await run()).error).toBeUndefined()
    expect(await alarm('labels_changed')).toMatch(/blue.*plimsoll backfill public\.things/)
    const filled = await backfillStream(engine, SETTINGS, { from: undefined, to: undefined })
    expect(filled.counts).toMatchObject({ rows_read: 10, updated: 10 })
  }))

test('E67 another collation or nullability is told and stops nothing', () =>
  scene('collation', PLAIN, async ({ run, sql, alarm }) => {
    await run()
    await sql(
      'alter table things alter body type text collate "C"; alter table things alter at drop not null',
    )
    expect((await run()).error).toBeUndefined()
    expect(await alarm('column_changed')).toMatch(/body: collation .* became C; at may be NULL now/)
  }))

const PARTED = `create table public.things (id int, at timestamptz not null, primary key (id, at)) partition by range (at);
  create index on public.things (at);
  create table now partition of public.things for values from ('2020-01-01') to ('2200-01-01');
  insert into public.things select g, now() - interval '1 hour' from generate_series(1, 10) g`

test('E67 a partition attached with rows below the watermark is an alarm with the backfill; an empty one is nothing', () =>
  scene('partitions', PARTED, async ({ run, sql, alarm, engine }) => {
    await run()
    await sql(
      `create table later partition of public.things for values from ('2200-01-01') to ('2300-01-01')`,
    )
    await run()
    expect(await alarm('partition_attached')).toBeUndefined()
    await sql(`create table old (id int, at timestamptz not null, primary key (id, at));
      insert into old values (100, '2019-05-05');
      alter table public.things attach partition old for values from ('2019-01-01') to ('2020-01-01')`)
    expect((await run()).error).toBeUndefined()
    expect(await alarm('partition_attached')).toMatch(/public\.old .*plimsoll backfill public\.things/)
    const filled = await backfillStream(engine, SETTINGS, { from: undefined, to: undefined })
    expect(filled.counts).toMatchObject({ inserted: 1 })
    expect(await alarm('partition_detached')).toBeUndefined()
    await sql('alter table public.things detach partition old')
    await run()
    expect(await alarm('partition_detached')).toContain('1 partition')
  }))
