import type { Landing, TargetTable } from '../destination.ts'
import type { Database } from './database.ts'
import { positionOf } from './position-sql.ts'
import type { Session } from './session.ts'
import {
  columnList,
  DELETED,
  keyTexts,
  type TargetColumn,
  targetColumns,
  targetName,
} from './target-columns.ts'

/** Rows of one landing, as they came; and the same with what stands at the target for their key. */
export const STAGE = 'temp.plimsoll_stage'
export const MATCH = 'temp.plimsoll_match'

/** What the statements of one landing are made of. */
export interface LandingPlan {
  readonly session: Session
  readonly landing: Landing
  readonly table: TargetTable
  readonly target: string
  readonly columns: readonly TargetColumn[]
  readonly columnNames: string
  readonly readSeq: number
  /** A read with a smaller readSeq is outstanding (spec E53). */
  readonly hasGap: boolean
  /** Rows of the target may be marked as gone at the source (spec A27). */
  readonly hasMarks: boolean
}

export function planLanding(
  database: Database,
  landing: Landing,
  hasGap: boolean,
  hasMarks: boolean,
): LandingPlan {
  const { table, readSeq } = landing
  const columns = targetColumns(table)
  return {
    session: database.writer,
    landing,
    table,
    target: targetName(database.catalog, table.target),
    columns,
    columnNames: columnList(columns),
    readSeq,
    hasGap,
    hasMarks,
  }
}

/** True for rows that are marked as gone at the source. */
export const isMarked = ({ hasMarks }: LandingPlan, alias: string): string =>
  hasMarks ? `(${alias}.${DELETED} IS NOT NULL)` : 'false'

export const planPosition = ({ table, columns }: LandingPlan, alias: string): string =>
  positionOf(table.order, columns, alias)

export const planKey = ({ table }: LandingPlan, alias: string): string => keyTexts(table, alias)

export const keyColumns = ({ columns }: LandingPlan): readonly TargetColumn[] =>
  columns.filter(({ isKey }) => isKey)
