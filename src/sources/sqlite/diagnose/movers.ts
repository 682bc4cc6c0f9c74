import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { MoverFigures } from '../../diagnosis.ts'
import type { Subject } from './subject.ts'

/** L2: triggers that set the position when a row changes. REPLACE fires none of them. */
export async function lookAtMovers({ bench, request, facts }: Subject): Promise<readonly MoverFigures[]> {
  const { shape, order } = request
  const evidence = shape.positions.find(({ column }) => column === order.column)?.evidence ?? []
  // Names that need quotes within quotes are no evidence for `describe`.
  const quoted = quoteIdentifier(order.column)
  const rows = await bench.ask(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(?) ORDER BY name`,
    facts.table.name,
  )
  return rows
    .filter(
      ({ name, sql }) => evidence.includes(`trigger ${name}`) || String(sql).includes(`SET ${quoted} =`),
    )
    .flatMap(({ name, sql }) => {
      const fires = whenFires(headOf(String(sql)), order.column)
      return fires === undefined ? [] : [{ name: String(name), fires }]
    })
}

const NAME_TEXT_OR_COMMENT =
  /("(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])|'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

/** What stands before the body, without comments and texts. */
const headOf = (sql: string): string =>
  sql.replaceAll(NAME_TEXT_OR_COMMENT, (_, name: string | undefined) => name ?? ' ').split(/\bBEGIN\b/i)[0] ??
  ''

/** A condition on the position itself keeps the trigger from firing at its own change, and leaves out nothing else. */
function whenFires(head: string, column: string): MoverFigures['fires'] | undefined {
  if (!/\bUPDATE\b/i.test(head)) return undefined
  const condition = /\bWHEN\b([\s\S]*)$/i.exec(head)?.[1]
  const isPartly =
    /\bUPDATE\s+OF\b/i.test(head) ||
    (condition !== undefined && !condition.includes(column.replaceAll('"', '""')))
  return isPartly ? 'some' : 'always'
}
