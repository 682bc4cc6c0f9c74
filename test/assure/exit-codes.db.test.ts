import { writeFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import { workspace } from '../cli/support/program.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

const SET_UP = ['kept', 'barred'].map(
  (table) => `create table public.${table} (id int primary key, at timestamptz default now());
    create index on public.${table} (at);
    insert into public.${table} select g, now() - interval '1 day' from generate_series(1, 50) g; analyze public.${table};`,
)

test('A1: a lost row in one table, no rights on another: 3 and both are listed; rights missing only: 4; all well: 0', {
  timeout: 120_000,
}, async () => {
  const url = new URL(await freshDatabase(postgresServers()[0]!, 'exit codes of checks'))
  const admin = new pg.Client({ connectionString: url.href })
  await admin.connect()
  const role = `reader_${url.pathname.slice(1)}`.slice(-60)
  try {
    await admin.query(`${SET_UP.join(' ')} create role "${role}" login password 'x'; grant pg_monitor to "${role}";
      grant select on public.kept, public.barred to "${role}"`)
    url.username = role
    url.password = 'x'
    const { run, path } = workspace()
    writeFileSync(
      path('plimsoll.yaml'),
      `source: { url: '${url.href}' }
destination: { url: 'duckdb:out.duckdb' }
defaults: { overlap: { fixed: 1s } }
tables:
  public.kept: { position: { column: at, stampedBy: database } }
  public.barred: { position: { column: at, stampedBy: database } }
`,
    )
    const first = await run('run')
    expect(first.code, first.stderr).toBe(0)
    const audit = () => run('audit', '--second-look', '100ms', '--json')
    expect((await audit()).code).toBe(0)

    await admin.query(`insert into public.kept values (99, now() - interval '1 day')`)
    await admin.query(`revoke select on public.barred from "${role}"`)
    const both = await audit()
    expect(both.code, both.stderr).toBe(3)
    expect(both.json.streams).toMatchObject([{ stream: 'public.kept', counts: { lost: 1, findings: 1 } }])
    expect(both.json.not_looked).toMatchObject([{ stream: 'public.barred', side: 'source' }])

    const repair = ['repair', 'public.kept', '--findings', both.json.streams[0].audit, '--apply']
    expect((await run(...repair)).code).toBe(0)
    const barred = await audit()
    expect(barred.code).toBe(4)
    expect(barred.json.streams).toMatchObject([{ stream: 'public.kept', counts: { findings: 0 } }])
    expect(barred.json.not_looked).toHaveLength(1)
  } finally {
    await admin.query(`drop owned by "${role}"; drop role "${role}"`)
    await admin.end()
  }
})
