import { quoteTable } from '../../../kernel/sql-text.ts'
import type { LoadQuery, LoadReader, LoadStage } from '../../load.ts'
import type { LoadSession } from './session.ts'
import { fromUs, toUs } from './stage.ts'

/** The eyes of a naive reader: what its condition lets it see (assurance A52). */
export function createReader(session: LoadSession, stage: LoadStage): LoadReader {
  const table = quoteTable(stage.table)
  const one = async (sql: string): Promise<string | undefined> =>
    (await session.ask(sql))[0]?.[0] ?? undefined
  return {
    read: async (query) => {
      const { where, values } = conditionOf(query)
      const limit = query.limit === undefined ? '' : ` LIMIT ${query.limit}`
      const rows = await session.ask(
        `SELECT id, version, ${toUs('updated_at')} FROM ${table} WHERE ${where} ORDER BY updated_at, id${limit}`,
        values,
      )
      return rows.map(([key, version, positionUs]) => ({
        key: key!,
        version: version!,
        positionUs: positionUs!,
      }))
    },
    newest: () => one(`SELECT ${toUs('max(updated_at)')} FROM ${table}`),
    nowUs: async () => (await one(`SELECT ${toUs('clock_timestamp()')}`))!,
    close: () => session.close(),
  }
}

function conditionOf(query: LoadQuery): { where: string; values: readonly string[] } {
  const values: string[] = []
  const at = (us: string): string => fromUs(`$${values.push(us)}::bigint`)
  const terms: string[] = ['true']
  if (query.above !== undefined) terms.push(`updated_at > ${at(query.above)}`)
  if (query.atLeast !== undefined) terms.push(`updated_at >= ${at(query.atLeast)}`)
  if (query.below !== undefined) terms.push(`updated_at < ${at(query.below)}`)
  if (query.upTo !== undefined) terms.push(`updated_at <= ${at(query.upTo)}`)
  if (query.aboveRow !== undefined) {
    const position = at(query.aboveRow.position)
    terms.push(`(updated_at, id) > (${position}, $${values.push(query.aboveRow.key)}::bigint)`)
  }
  return { where: terms.join(' AND '), values }
}
