import { resolve } from 'node:path'
import { PlimsollError } from '../../kernel/errors.ts'

/** Which file, and whether we may write to it; a barrier needs that we may (spec E33). */
export interface Address {
  readonly file: string
  readonly readOnly: boolean
}

/** `sqlite:///absolute/path.db`, `sqlite:relative.db`, with `?mode=ro` to open it read-only. Throws CONFIG_INVALID. */
export function parseAddress(url: string): Address {
  const [, path = '', query = ''] = /^sqlite:([^?#]*)(?:\?([^#]*))?$/i.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const mode = parameters.get('mode') ?? 'rw'
  const unknown = [...parameters.keys()].find((name) => name !== 'mode')
  if (unknown !== undefined) throw invalid(`no option ${unknown} in a sqlite: URL`)
  if (mode !== 'ro' && mode !== 'rw') throw invalid(`mode is ro or rw, not ${mode}`)
  if (path.startsWith('//') && !path.startsWith('///')) throw invalid('a file has no host')
  const file = decodeURIComponent(path.replace(/^\/\/(?=\/)/, ''))
  if (file === '' || file.endsWith('/') || file === ':memory:') throw invalid('it names no file')
  return { file: resolve(file), readOnly: mode === 'ro' }
}

function invalid(why: string): PlimsollError {
  return new PlimsollError('CONFIG_INVALID', `this is no address of a SQLite file: ${why}`, {
    hint: 'Write sqlite:///absolute/path.db or sqlite:relative.db, with ?mode=ro for a file you may only read.',
  })
}
