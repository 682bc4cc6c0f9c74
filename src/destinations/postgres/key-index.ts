import { PlimsollError } from '../../kernel/errors.ts'
import { quoteIdentifier, quoteTable } from '../../kernel/sql-text.ts'
import type { TargetTable } from '../destination.ts'
import type { ServerError } from './errors.ts'
import { SEQ_COLUMN } from './names.ts'
import type { Session } from './sessions.ts'

/**
 * The index that landing by comparison needs: unique on the key (`upsert`), on key and readSeq (`history`), plain on the
 * position without a key. A first load is landed without it, because building it once is cheaper than keeping it up row
 * by row; whatever compares calls this first.
 */
export async function ensureKeyIndex(session: Session, table: TargetTable, version: number): Promise<void> {
  const columns = indexColumns(table)
  const nullable = table.nullKeys === 'match' && !table.appendOnly
  const unique = !table.appendOnly && (!nullable || version >= 150_000)
  if (await hasIndex(session, table, columns, unique)) return
  const nulls = unique && nullable ? ' NULLS NOT DISTINCT' : ''
  try {
    await session.query(
      `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ON ${quoteTable(table.target)} (${columns.map(quoteIdentifier).join(', ')})${nulls}`,
    )
  } catch (error) {
    if ((error as ServerError).code !== '23505') throw error
    throw new PlimsollError('KEY_NOT_UNIQUE', `${table.target.name} holds a key twice`, {
      hint: 'Name the columns that identify a row, or remove the repeated rows and run again.',
      cause: error,
      context: { table: table.target.name, key: table.key, detail: (error as ServerError).detail },
    })
  }
}

function indexColumns({ appendOnly, order, key, mode }: TargetTable): readonly string[] {
  if (appendOnly) return [order.column]
  return mode === 'history' ? [...key, SEQ_COLUMN] : key
}

/** An index on exactly these columns, in any order, that ON CONFLICT can use. */
async function hasIndex(
  session: Session,
  { target }: TargetTable,
  columns: readonly string[],
  unique: boolean,
): Promise<boolean> {
  const { rows } = await session.query(
    `SELECT EXISTS (SELECT FROM pg_index i
       WHERE i.indrelid = to_regclass($1) AND (i.indisunique OR NOT $3) AND i.indisvalid AND i.indimmediate
         AND i.indpred IS NULL AND i.indexprs IS NULL
         AND (SELECT array_agg(a.attname::text ORDER BY a.attname::text COLLATE "C")
              FROM unnest(i.indkey) WITH ORDINALITY k(attnum, n)
              JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
              WHERE k.n <= i.indnkeyatts)
           = (SELECT array_agg(n ORDER BY n COLLATE "C") FROM unnest($2::text[]) n)) AS found`,
    [quoteTable(target), columns, unique],
  )
  return rows[0].found
}
