import type { PositionOrder } from '../../../kernel/order.ts'
import { quoteIdentifier, quoteLiteral, quoteTable } from '../../../kernel/sql-text.ts'
import type { TableContext } from '../table-context.ts'

/** A trigger that stamps every change in the database, to paste; undefined for positions that no clock of it makes. */
export function stampingTrigger({ engine, order, shape }: TableContext): string | undefined {
  const column = quoteIdentifier(order.column)
  if (engine === 'sqlite') {
    const now = sqliteNow(order)
    if (now === undefined) return undefined
    const name = quoteIdentifier(`${shape.table.name}_stamp`)
    const table = quoteIdentifier(shape.table.name)
    return `CREATE TRIGGER ${name} AFTER UPDATE ON ${table} BEGIN UPDATE ${table} SET ${column} = ${now} WHERE rowid = NEW.rowid; END;`
  }
  const now = postgresNow(order)
  if (now === undefined) return undefined
  const { schema, name } = shape.table
  const stamp = quoteTable({ schema, name: `${name}_stamp` })
  const trigger = quoteIdentifier(`${name}_stamp`)
  const table = quoteTable(shape.table)
  return (
    `CREATE FUNCTION ${stamp}() RETURNS trigger LANGUAGE plpgsql AS ${quoteLiteral(`BEGIN NEW.${column} := ${now}; RETURN NEW; END`)};\n` +
    `CREATE TRIGGER ${trigger} BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${stamp}();\n` +
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER ${trigger};`
  )
}

const PER_SECOND = { s: 1, ms: 1_000, us: 1_000_000, ns: 1_000_000_000 } as const

function postgresNow({
  kind,
  zone = 'UTC',
  flavour,
  unit = 's',
  encoding,
  template,
}: PositionOrder): string | undefined {
  const wall = `now() AT TIME ZONE ${quoteLiteral(zone)}`
  switch (kind) {
    case 'timestamptz':
      return 'now()'
    case 'timestamp':
      return wall
    case 'date':
      return `(${wall})::date`
    case 'xid8':
      return 'pg_current_xact_id()'
    case 'integer':
      return flavour === 'epoch'
        ? `floor(extract(epoch FROM now()) * ${PER_SECOND[unit]})::bigint`
        : undefined
    case 'text':
      return encoding === 'iso'
        ? `to_char(now() AT TIME ZONE 'UTC', ${quoteLiteral(toCharFormat(template ?? ''))})`
        : undefined
  }
}

/** `YYYY-MM-DD"T"HH24:MI:SS.MS"Z"` */
function toCharFormat(template: string): string {
  const [date, clock] = [template.slice(0, 10), template.slice(10)]
  const time = clock
    .replace('HH:MM', 'HH24:MI')
    .replace(/S{4,}$|S{4,}(?=Z)/, 'US')
    .replace(/\.S{1,3}(?=Z|$)/, '.MS')
    .replace(/^T/, '"T"')
    .replace(/Z$/, '"Z"')
  return date + time
}

function sqliteNow({
  kind,
  flavour,
  unit = 's',
  encoding,
  template = '',
}: PositionOrder): string | undefined {
  if (kind === 'integer' && flavour === 'epoch') {
    return unit === 's' ? `unixepoch('now')` : `CAST(unixepoch('subsec') * ${PER_SECOND[unit]} AS INTEGER)`
  }
  if (kind !== 'text' || encoding !== 'iso') return undefined
  const format = template
    .replace('YYYY', '%Y')
    .replace('-MM-', '-%m-')
    .replace('DD', '%d')
    .replace('HH:MM', '%H:%M')
    .replace(/SS\.S+/, '%f')
    .replace('SS', '%S')
  return `strftime(${quoteLiteral(format)}, 'now')`
}
