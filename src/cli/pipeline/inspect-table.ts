import type { PipelineConfig } from '../../config/pipeline-config.ts'
import { formatTableName } from '../../config/table-name.ts'
import { choose } from '../../extract/index.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { PositionFact, Source, TableShape, TableSummary } from '../../sources/source.ts'
import { toStreamSettings } from './stream-settings.ts'

/** What `init` found out about one table. */
export interface TableFinding {
  readonly name: string
  readonly summary: TableSummary
  /** Absent when nothing could be chosen; `obstacle` then says why. */
  readonly choice:
    | { readonly key: readonly string[]; readonly position: string; readonly said: readonly string[] }
    | undefined
  readonly obstacle: string | undefined
  /** What a person should settle before relying on the choice. */
  readonly doubts: readonly string[]
}

export async function inspectTable(
  config: PipelineConfig,
  source: Source,
  summary: TableSummary,
): Promise<TableFinding> {
  const name = formatTableName(summary.table)
  const [probe] = config.tables
  try {
    const shape = await source.describe(summary.table)
    const settings = toStreamSettings(config, { ...probe!, table: summary.table })
    const { key, order, said } = choose(settings, shape)
    const choice = { key, position: order.column, said }
    return {
      name,
      summary,
      choice,
      obstacle: undefined,
      doubts: doubtsAbout(shape, order.column, order.stampedBy),
    }
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    const obstacle = [error.message, error.hint].filter(Boolean).join('. ')
    return { name, summary, choice: undefined, obstacle, doubts: [] }
  }
}

function doubtsAbout(shape: TableShape, column: string, stampedBy: string): string[] {
  const fact = shape.positions.find((each) => each.column === column)
  const doubts: string[] = []
  if (shape.kind === 'view') doubts.push('it is a view: who writes the tables below it is not seen')
  if (fact && !fact.indexed) doubts.push(`no index begins with ${column}: every run scans the whole table`)
  if (fact?.nullable)
    doubts.push(`${column} may be NULL: such rows are delivered, but have no place in the order`)
  if (stampedBy !== 'database') {
    const word = stampedBy === 'application' ? 'the application sets it' : 'it is not known who sets it'
    doubts.push(`${column}: ${word}; claims stay below proven until stampedBy: database is declared and true`)
  }
  const others = rivals(shape.positions, fact)
  if (others.length > 0) doubts.push(`${others.join(', ')} could order the table as well`)
  return doubts
}

/** Other columns that look as if they changed with the row. */
function rivals(facts: readonly PositionFact[], chosen: PositionFact | undefined): string[] {
  return facts
    .filter(
      (fact) => fact !== chosen && fact.order && fact.score > 0 && fact.score * 2 >= (chosen?.score ?? 0),
    )
    .map((fact) => fact.column)
}
