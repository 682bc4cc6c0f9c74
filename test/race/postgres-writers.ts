import pg from 'pg'
import { type Random, seededRandom } from '../support/random.ts'

/** The shop's hot table: stamps truncated to seconds by a trigger, so that ties are the rule (spec E5, case OWN-3). */
export const SCHEMA = `
create table public.orders (
  id bigint primary key,
  state text not null,
  amount numeric(12,2),
  updated_at timestamptz not null default date_trunc('second', now())
);
create function touch() returns trigger language plpgsql as $$
begin
  new.updated_at := date_trunc('second', case when random() < 0.3 then clock_timestamp() else now() end);
  return new;
end $$;
create trigger touch before insert or update on public.orders for each row execute function touch();
create index on public.orders (updated_at);
insert into public.orders select g, 'new', g from generate_series(1, 400) g;
`

/** The same table ordered by the transaction that wrote each row (P3). */
export const XID_SCHEMA = `
${SCHEMA}
alter table public.orders add column changed_in xid8;
create function stamp_xid() returns trigger language plpgsql as $$
begin new.changed_in := pg_current_xact_id(); return new; end $$;
create trigger stamp_xid before insert or update on public.orders for each row execute function stamp_xid();
alter table public.orders enable always trigger stamp_xid;
update public.orders set state = state;
create index on public.orders (changed_in);
`

const HOT_KEYS = 40

export interface Writers {
  /** Ends every writer, with all its transactions decided and every deleted hot key put back. */
  stop(): Promise<WriterCounts>
}

export interface WriterCounts {
  committed: number
  rolledBack: number
  prepared: number
  lateCommits: number
}

/** Starts `count` writers and one session that keeps idling in a transaction with a stamp already taken. */
export function startWriters(url: string, count: number, seed: number): Writers {
  const counts: WriterCounts = { committed: 0, rolledBack: 0, prepared: 0, lateCommits: 0 }
  const control = { stopped: false }
  const writers = Array.from({ length: count }, (_, n) =>
    write(url, n, seededRandom(seed * 1000 + n), control, counts),
  )
  const idler = idle(url, control, counts)
  return {
    async stop() {
      control.stopped = true
      await Promise.all([...writers, idler])
      return counts
    },
  }
}

async function write(
  url: string,
  n: number,
  random: Random,
  control: { stopped: boolean },
  counts: WriterCounts,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`set lock_timeout = '300ms'; set deadlock_timeout = '100ms'`)
  let fresh = 1_000_000 * (n + 1)
  try {
    while (!control.stopped) {
      try {
        await transaction(client, n, random, counts, () => fresh++)
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error
        await client.query('rollback')
        counts.rolledBack++
      }
      await pause(random.below(30))
    }
  } finally {
    await client.end()
  }
}

async function transaction(
  client: pg.Client,
  n: number,
  random: Random,
  counts: WriterCounts,
  nextKey: () => number,
): Promise<void> {
  await client.query('begin')
  const statements = 1 + random.below(3)
  for (let i = 0; i < statements; i++) await change(client, n, random, nextKey)
  const late = random.chance(0.15)
  if (late) await pause(200 + random.below(random.chance(0.2) ? 3_000 : 900))
  if (random.chance(0.12)) {
    await client.query('rollback')
    counts.rolledBack++
    return
  }
  if (random.chance(0.12)) await prepare(client, `g${n}_${nextKey()}`, random, counts)
  else await client.query('commit')
  counts.committed++
  if (late) counts.lateCommits++
}

async function change(client: pg.Client, n: number, random: Random, nextKey: () => number): Promise<void> {
  const hot = 1 + random.below(HOT_KEYS)
  const kind = random.below(10)
  if (kind < 4) await insert(client, nextKey(), `w${n}`)
  else if (kind < 7)
    await client.query('update public.orders set state = $1, amount = amount + 1 where id = $2', [
      `w${n}-${nextKey()}`,
      hot,
    ])
  else if (kind < 8) {
    await client.query('delete from public.orders where id = $1', [hot])
    await insert(client, hot, `again-${n}-${nextKey()}`)
  } else {
    await client.query('savepoint s')
    await insert(client, nextKey(), `savepoint-${n}`)
    if (random.chance(0.5)) await client.query('rollback to savepoint s')
    await insert(client, nextKey(), `after-${n}`)
  }
}

const insert = (client: pg.Client, key: number, state: string) =>
  client.query(
    'insert into public.orders (id, state, amount) values ($1, $2, $3) on conflict (id) do update set state = excluded.state',
    [key, state, key],
  )

async function prepare(client: pg.Client, name: string, random: Random, counts: WriterCounts): Promise<void> {
  await client.query(`prepare transaction '${name}'`)
  counts.prepared++
  await pause(random.below(1_200))
  await client.query(`${random.chance(0.75) ? 'commit' : 'rollback'} prepared '${name}'`)
}

async function idle(url: string, control: { stopped: boolean }, counts: WriterCounts): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'idler' })
  await client.connect()
  let key = 900_000_000
  while (!control.stopped) {
    await client.query('begin')
    await insert(client, key++, 'idle in transaction')
    for (let waited = 0; waited < 4_000 && !control.stopped; waited += 100) await pause(100)
    await client.query('commit')
    counts.lateCommits++
    await pause(500)
  }
  await client.end()
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
