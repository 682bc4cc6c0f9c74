import { type ErrorCode, PlimsollError } from '../kernel/errors.ts'

/** One fault of the file: where, what, and what to do about it. */
export interface Problem {
  readonly code: Extract<ErrorCode, 'CONFIG_INVALID' | 'APPEND_WITH_OVERLAP'>
  /** Line in the file, from 1; undefined when there is no file. */
  readonly line: number | undefined
  /** `tables.public.orders.overlap`, empty for the whole file. */
  readonly path: string
  readonly text: string
  readonly remedy: string | undefined
}

/** Reports a fault of the setting at a path. */
export type Report = (path: readonly PropertyKey[], text: string, remedy?: string) => void

const SHOWN = 20
const FILE_HINT =
  'Nothing was done. plimsoll config schema prints every setting; plimsoll config check looks at the file alone.'
const NO_FILE_HINT = 'Nothing was done. The command with --help explains what it takes.'

/** All faults as one error: each a line `file:line: path: what; remedy`. */
export function configError(file: string, problems: readonly Problem[]): PlimsollError {
  const ordered = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const all = [...new Set(ordered.map((problem) => describeProblem(file, problem)))]
  const lines = all.slice(0, SHOWN)
  if (all.length > SHOWN) lines.push(`and ${all.length - SHOWN} more`)
  const places = ordered.flatMap(({ line }) => (line === undefined ? [] : [line]))
  const code = ordered.find((problem) => problem.code !== 'CONFIG_INVALID')?.code ?? 'CONFIG_INVALID'
  return new PlimsollError(code, lines.join('\n'), {
    hint: places.length === 0 ? NO_FILE_HINT : FILE_HINT,
    context: places.length === 0 ? {} : { file, lines: places },
  })
}

function describeProblem(file: string, { line, path, text, remedy }: Problem): string {
  const place = line === undefined ? file : `${file}:${line}`
  const what = path === '' ? text : `${path} ${text}`
  return `${place}: ${what}${remedy === undefined ? '' : `. ${remedy}`}`
}
