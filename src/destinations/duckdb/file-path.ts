import { resolve } from 'node:path'
import { PlimsollError } from '../../kernel/errors.ts'

/** The file of `duckdb:///abs/path.duckdb`, `duckdb:/abs/path.duckdb` or `duckdb:relative.duckdb`. */
export function filePathOf(url: string): string {
  const rest = /^duckdb:(.*)$/s.exec(url)?.[1] ?? ''
  const path = rest.startsWith('//') ? decodeURIComponent(rest.slice(2)) : rest
  if (
    path === '' ||
    path === '/' ||
    path === ':memory:' ||
    (rest.startsWith('//') && !path.startsWith('/'))
  ) {
    throw new PlimsollError('USAGE', `${url} names no DuckDB file`, {
      hint: 'Write duckdb:relative.duckdb or duckdb:///absolute/path.duckdb. A store in memory would forget its claims.',
    })
  }
  return resolve(path)
}
