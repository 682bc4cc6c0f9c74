import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import { type Check, judge, ok, type Verdict } from '../check.ts'
import type { TableContext } from '../table-context.ts'

/** A43: the key must be unique, complete and over columns that hold no NULL (spec E55). */
export function rowKey(context: TableContext): Check {
  return judge('key', { found: context.key }, (key) => {
    const { table, appendOnly, keyEnforced, nullKeys, shape } = context
    const figures = { key: key.join(', ') }
    if (key.length === 0) {
      if (appendOnly)
        return ok(`${table} has no key and is declared append-only: its ranges are replaced.`, figures)
      return {
        severity: 'blocker',
        sentence: `${table} has no key: no unique, complete index stands over columns without NULL.`,
        remedy: 'key: [<the columns that identify a row>]   # or appendOnly: true',
        figures,
      }
    }
    const nullable = shape.columns.filter(({ name, nullable }) => key.includes(name) && nullable)
    if (keyEnforced && nullable.length === 0)
      return ok(`The key of ${table} (${key.join(', ')}) is unique and holds no NULL.`, figures)
    return keyEnforced
      ? mayBeNull(
          context,
          nullable.map(({ name }) => name),
        )
      : notUnique(context, nullKeys)
  })
}

function mayBeNull({ table, key, nullKeys }: TableContext, columns: readonly string[]): Verdict {
  const isMatched = nullKeys === 'match'
  return {
    severity: isMatched ? 'note' : 'warning',
    sentence: `The key of ${table} may hold NULL in ${columns.join(', ')}; ${isMatched ? 'NULLs match each other' : 'a run that meets one stops'}.`,
    remedy: isMatched ? undefined : 'nullKeys: match',
    figures: { key: key.join(', '), nullable: columns.join(', ') },
  }
}

function notUnique({ table, key, shape, engine }: TableContext, nullKeys: string): Verdict {
  const columns = key.map(quoteIdentifier).join(', ')
  const name = engine === 'sqlite' ? `${quoteIdentifier(`${shape.table.name}_key`)} ` : ''
  const on = engine === 'sqlite' ? quoteIdentifier(shape.table.name) : quoteTable(shape.table)
  const concurrently = engine === 'postgres' && shape.kind === 'table' ? 'CONCURRENTLY ' : ''
  return {
    severity: 'warning',
    sentence: `Nothing in the database keeps the declared key of ${table} (${key.join(', ')}) unique.`,
    remedy:
      shape.kind === 'view' ? undefined : `CREATE UNIQUE INDEX ${concurrently}${name}ON ${on} (${columns});`,
    figures: { key: key.join(', '), null_keys: nullKeys },
  }
}
