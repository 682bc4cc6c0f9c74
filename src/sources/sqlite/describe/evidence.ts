import type { Db } from '../connection.ts'
import { type ClockEvidence, readClock } from './clock-text.ts'
import type { ColumnFacts, TableFacts } from './columns.ts'

/** What the schema says about who writes a column, for a person, and what that is worth. */
export interface Evidence {
  readonly texts: readonly string[]
  readonly clockDefault: ClockEvidence | undefined
  /** The clock that the first trigger which sets the column reads, if any. */
  readonly clockTrigger: ClockEvidence | undefined
  readonly setByTrigger: boolean
}

export interface Trigger {
  readonly name: string
  readonly body: string
}

export function readTriggers(db: Db, table: string): readonly Trigger[] {
  const sql =
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(?) ORDER BY name"
  const rows = db.prepare(sql).all(table) as { name: string; sql: string }[]
  return rows.map(({ name, sql: text }) => {
    const code = withoutComments(text)
    return { name, body: code.slice(code.search(/\bBEGIN\b/i)) }
  })
}

/** Reads default and triggers of one column (spec E20). */
export function gatherEvidence(column: ColumnFacts, triggers: readonly Trigger[]): Evidence {
  const setting = triggers.filter((trigger) => sets(trigger.body, column.shape.name))
  const texts = [
    ...(column.defaultText === undefined ? [] : [`default ${column.defaultText}`]),
    ...setting.map((trigger) => `trigger ${trigger.name}`),
  ]
  return {
    texts: [
      ...(texts.length > 0 ? texts : ['no default, no trigger']),
      ...(column.shape.nullable ? ['may be NULL'] : []),
    ],
    clockDefault: readClock(column.defaultText ?? ''),
    clockTrigger: setting.map((trigger) => readClock(trigger.body)).find((clock) => clock !== undefined),
    setByTrigger: setting.length > 0,
  }
}

function sets(body: string, column: string): boolean {
  const name = column.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`\\bSET\\b(?:(?!\\bWHERE\\b)[^;])*["'\`[\\s,(]${name}["'\`\\]]?\\s*=`, 'i').test(body)
}

const CHANGED =
  /^(row)?(last)?(updated?|modified|modification|changed?|mod|mtime|touched)(at|on|date|time|datetime|ts|timestamp|utc|ms|epoch)?$/
const ALMOST = /updat|modif|chang|(sys|row)version|lastwrite/
const CREATED = /creat|insert|delet|birth|expir|start|end|due|from|until/

/**
 * How much a column looks like "changed at", 0 to 100. Zero is never chosen without being named: a moment of creation
 * would pass over every update in silence.
 */
export function scoreColumn(column: ColumnFacts, evidence: Evidence, indexed: boolean): number {
  const word = column.shape.name.toLowerCase().replaceAll(/[^a-z]/g, '')
  const byName = CHANGED.test(word) ? 60 : ALMOST.test(word) && !CREATED.test(word) ? 40 : 0
  const base = evidence.clockTrigger ? Math.max(byName, 30) + 20 : byName
  if (base === 0) return 0
  const facts = [evidence.clockDefault !== undefined, indexed, !column.shape.nullable].filter(Boolean).length
  return Math.min(100, base + 4 * facts)
}

/** Whether `AUTOINCREMENT` stands in the table's own text, outside of comments, names and texts. */
export function isAutoincrement(table: TableFacts): boolean {
  const code = withoutComments(table.sql).replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]/g, ' ')
  return /\bAUTOINCREMENT\b/i.test(code)
}

const TEXT_OR_COMMENT = /('(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\])|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

function withoutComments(sql: string): string {
  return sql.replaceAll(TEXT_OR_COMMENT, (_, kept: string | undefined) => kept ?? ' ')
}
