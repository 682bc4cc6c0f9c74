import type { ColumnShape } from '../../source.ts'
import type { Row } from '../connect/connection.ts'

/** What the catalog says about who writes a column, for a person, and what that is worth. */
export interface Evidence {
  readonly texts: readonly string[]
  readonly updatedByTrigger: boolean
  readonly hasClockDefault: boolean
  readonly sequence: string | undefined
  /** The zone whose wall time the default takes, when the default says so and no trigger may say otherwise. */
  readonly zone: string | undefined
}

const CLOCK =
  /\b(now\(\)|(transaction|statement|clock)_timestamp\(\)|current_timestamp|localtimestamp|current_date)/i
const AT_ZONE =
  /^\(?\(?(?:timezone\('([\w/+-]+)'::text, \w+\(\)\)|\w+(?:\(\))? AT TIME ZONE '([\w/+-]+)'(?:::text)?)\)?/i

/** Reads default, identity and triggers of one column (spec E20). */
export function gatherEvidence(row: Row, triggers: readonly Row[]): Evidence {
  const expression = row.expression ?? undefined
  const setting = triggers.filter((trigger) => trigger.enabled !== 'D' && sets(trigger, row.name!))
  const texts = [
    ...(row.generated ? [`generated as ${expression}`] : expression ? [`default ${expression}`] : []),
    ...(row.identity ? [`identity ${row.sequence ?? ''}`.trim()] : []),
    ...setting.map((trigger) => `trigger ${trigger.name}`),
    ...(row.not_null === 't' ? [] : ['may be NULL']),
  ]
  const zoned = AT_ZONE.exec(expression ?? '')
  const sequence = row.sequence ?? /nextval\('([^']+)'/.exec(expression ?? '')?.[1]
  return {
    texts: expression || row.identity || setting.length > 0 ? texts : ['no default, no trigger', ...texts],
    updatedByTrigger: setting.some((trigger) => trigger.on_update === 't' && trigger.is_before === 't'),
    hasClockDefault: !row.generated && CLOCK.test(expression ?? ''),
    sequence: sequence ?? undefined,
    zone: setting.length === 0 && !row.generated ? (zoned?.[1] ?? zoned?.[2]) : undefined,
  }
}

/** A trigger whose function assigns the column, or moddatetime, which is told it as an argument. */
function sets(trigger: Row, column: string): boolean {
  const name = column.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const assignment = new RegExp(
    `new\\s*\\.\\s*"?${name}"?\\s*(:=|=)|\\binto\\b[^;]*new\\s*\\.\\s*"?${name}"?`,
    'i',
  )
  if (assignment.test(trigger.source ?? '')) return true
  return trigger.function === 'moddatetime' && (trigger.definition ?? '').includes(`'${column}'`)
}

const CHANGED =
  /^(row)?(last)?(updated?|modified|modification|changed?|mod|mtime|touched)(at|on|date|time|datetime|ts|timestamp|utc)?$/
const ALMOST = /updat|modif|chang|(sys|row)version|lastwrite/
const CREATED = /creat|insert|delet|birth|expir|start|end|due|from|until/

/**
 * How much a column looks like "changed at", 0 to 100. Zero is never chosen without being named: a moment of creation
 * would pass over every update in silence.
 */
export function scoreColumn(column: ColumnShape, kind: string, evidence: Evidence, indexed: boolean): number {
  const word = column.name.toLowerCase().replaceAll(/[^a-z]/g, '')
  if (kind === 'integer') return evidence.sequence ? 10 : 0
  const byName = CHANGED.test(word) ? 60 : ALMOST.test(word) && !CREATED.test(word) ? 40 : 0
  const base = evidence.updatedByTrigger ? Math.max(byName, 30) + 20 : byName
  if (base === 0) return 0
  const facts = [evidence.hasClockDefault, indexed, !column.nullable].filter(Boolean).length
  return Math.min(100, base + 4 * facts - (kind === 'date' ? 15 : 0))
}
