import { PlimsollError } from '../../kernel/errors.ts'
import { isAboutARow, rowError, type ServerError } from './errors.ts'
import type { LandingPlan } from './landing-plan.ts'
import type { WireTally } from './wire-tally.ts'

/**
 * A row that COPY refused, with column, key and text (spec E75, STATE-2). The server names the line, and for values it
 * could not read the column; the row itself is taken from the bytes sent last.
 */
export function copyRefusal(error: unknown, plan: LandingPlan, tally: WireTally): unknown {
  if (!isAboutARow(error)) return error
  const { table } = plan
  const names = table.columns.map(({ name }) => name)
  const place = copyLine(error, table.target.name)
  const fields = place && tally.record(place.line)
  const index = columnIndex(error, names, place?.rest ?? '', fields)
  const column = names[index]
  const text = fields?.[index] ?? undefined
  const key = fields && table.key.map((name) => fields[names.indexOf(name)] ?? null)
  const shownKey = key ? ` (key ${JSON.stringify(key)})` : ''
  const context = { table: table.target.name, column, key, text, line: place?.line }
  if (error.code === '23502' && column !== undefined && table.key.includes(column)) {
    return new PlimsollError(
      'KEY_NULL',
      `${table.target.name}: the key column ${column} is NULL${shownKey}`,
      {
        hint: 'Fill the key at the source, choose other key columns, or declare `nullKeys: match`.',
        cause: error,
        context,
      },
    )
  }
  if (error.code === '23505') {
    return new PlimsollError('KEY_NOT_UNIQUE', `${table.target.name} has this key already${shownKey}`, {
      hint: 'Name the columns that identify a row; a unique index of your own on the target also counts.',
      cause: error,
      context: { ...context, constraint: error.constraint },
    })
  }
  const what = column === undefined ? 'a row' : `column ${column}`
  return rowError(error, `${table.target.name} refused ${what}${shownKey}: ${error.message}`, context)
}

/** `COPY plimsoll_stage, line 3, column x: "…"`, in whatever language the server speaks. */
function copyLine({ where = '' }: ServerError, target: string): { line: number; rest: string } | undefined {
  for (const relation of [target, 'plimsoll_stage', 'plimsoll_raw']) {
    const start = where.indexOf(`COPY ${relation}, `)
    const match = start < 0 ? null : /^\D*(\d+)(.*)/.exec(where.slice(start + `COPY ${relation}, `.length))
    if (match) return { line: Number(match[1]), rest: match[2]! }
  }
  return undefined
}

function columnIndex(
  error: ServerError,
  names: readonly string[],
  rest: string,
  fields: readonly (string | null)[] | undefined,
): number {
  if (error.column !== undefined) return names.indexOf(error.column)
  // A NUL byte is found before the line is taken apart: no column is named.
  if (error.code === '22021') return fields?.findIndex((field) => field?.includes('\0')) ?? -1
  const named = /^, .*/.exec(rest)?.[0] ?? ''
  const matching = names.filter((name) => named.includes(` ${name}:`) || named.endsWith(` ${name}`))
  return names.indexOf(matching.sort((a, b) => b.length - a.length)[0] ?? '')
}
