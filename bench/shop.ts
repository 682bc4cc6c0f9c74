import pg from 'pg'

/** The bench table: nine mixed columns, ordered by a stamp spread over so many days before yesterday. */
export async function makeOrders(url: string, table: string, rowCount: number, days = 30): Promise<void> {
  await execute(url, [
    `create table ${table} (
       id bigint primary key, customer integer not null, amount numeric(12,2) not null, note text, paid boolean not null,
       weight double precision, state text not null, created_at timestamptz not null, updated_at timestamptz not null)`,
    `insert into ${table}
     select g, (g * 7919) % 100000, (g % 1000000) / 100.0, case when g % 4 = 0 then null else 'note ' || md5(g::text) end, g % 3 = 0,
            g / 7.0::float8, (array['new','paid','sent','done'])[1 + g % 4], t - interval '1 hour', t
     from (select g, now() - interval '1 day' - interval '${days} days' + (g * interval '${days} days' / ${rowCount}) as t from generate_series(1, ${rowCount}::bigint) g) x`,
    `create index on ${table} (updated_at)`,
    `create function ${table}_touch() returns trigger language plpgsql as $$ begin new.updated_at := now(); return new; end $$`,
    `create trigger touch before update on ${table} for each row execute function ${table}_touch()`,
    `vacuum (analyze, freeze) ${table}`,
    'checkpoint',
  ])
}

/** Updates `count` rows spread over the whole table. */
export async function touchRows(url: string, table: string, rowCount: number, count: number): Promise<void> {
  const step = Math.floor(rowCount / count)
  await execute(url, [
    `update ${table} set amount = amount + 1 where id % ${step} = ${step - 1} and id <= ${step * count}`,
  ])
}

/** Many small tables that nobody writes. */
export async function makeIdleTables(url: string, count: number): Promise<void> {
  const statements: string[] = []
  for (let i = 0; i < count; i++) {
    const name = `idle_${String(i).padStart(4, '0')}`
    statements.push(
      `create table ${name} (id integer primary key, v text, updated_at timestamptz not null default now())`,
      `create index on ${name} (updated_at)`,
      `insert into ${name} select g, 'v', now() - interval '1 day' from generate_series(1, 20) g`,
    )
  }
  await execute(url, [...statements, 'analyze'])
}

export async function execute(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

export async function scalar(url: string, sql: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return String(rows[0]![0])
  } finally {
    await client.end()
  }
}
