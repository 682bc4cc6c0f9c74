import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Ended, runProgram } from '../crash/program.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

const server = postgresServers()[0]!

/** A staging copy with a configuration that names it, and the built program to call. */
export interface Staging {
  readonly folder: string
  readonly url: string
  readonly database: string
  plimsoll(...args: readonly string[]): Promise<Ended>
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** Writes the configuration anew. */
  configure(parts: {
    readonly rehearsal?: boolean
    readonly destination?: string
    /** More settings of the table. */
    readonly table?: object
  }): Promise<void>
  dispose(): Promise<void>
}

/** A shop of 2,600 orders, dated to the microsecond; the busiest of its minutes holds 600 and more. */
const SHOP = `create table public.orders (id bigint primary key, state text, updated_at timestamptz not null default now());
  create index on public.orders (updated_at);
  insert into public.orders select g, 'new', date_trunc('hour', now()) - interval '2 hours' + g * interval '1.700013 seconds' from generate_series(1, 2000) g;
  insert into public.orders select g, 'new', date_trunc('hour', now()) - interval '90 minutes' + (g % 59) * interval '1.000007 seconds' from generate_series(2001, 2600) g`

export async function openStaging(name: string): Promise<Staging> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-rehearse-'))
  const url = await freshDatabase(server, `rehearse ${name}`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(SHOP)
  const configure: Staging['configure'] = ({
    rehearsal = true,
    destination = 'duckdb:copy.duckdb',
    table = {},
  }) =>
    writeFile(
      join(folder, 'plimsoll.yaml'),
      JSON.stringify({
        name: 'staging',
        source: { url, ...(rehearsal ? { rehearsal } : {}) },
        destination: { url: destination },
        // The fence alone must do the work: with an overlap a lost row might be healed before it is counted.
        tables: {
          orders: { position: { column: 'updated_at', grain: '1us' }, overlap: { fixed: '0s' }, ...table },
        },
      }),
    )
  await configure({})
  return {
    folder,
    url,
    database: new URL(url).pathname.slice(1),
    plimsoll: (...args) => runProgram(['rehearse', ...args], { cwd: folder }),
    sql: (text, values) => client.query(text, values),
    configure,
    dispose: async () => {
      await client.end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
