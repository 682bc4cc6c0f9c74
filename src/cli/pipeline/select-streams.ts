import { nearest } from '../../config/nearest.ts'
import { formatTableName } from '../../config/table-name.ts'
import type { StreamSettings } from '../../extract/index.ts'
import { PlimsollError } from '../../kernel/errors.ts'

/** The streams a person named, each by its name at the source or the destination, with or without schema; all for none. */
export function selectStreams(
  streams: readonly StreamSettings[],
  names: readonly string[],
): readonly StreamSettings[] {
  if (names.length === 0) return streams
  const chosen = new Set(names.map((name) => selectStream(streams, name)))
  return streams.filter((stream) => chosen.has(stream))
}

/** Throws TABLE_NOT_FOUND, with the nearest name, or USAGE when two fit. */
export function selectStream(streams: readonly StreamSettings[], name: string): StreamSettings {
  const exact = streams.filter((each) => each.stream === name || formatTableName(each.table) === name)
  const found =
    exact.length > 0 ? exact : streams.filter((each) => [each.table.name, each.target.name].includes(name))
  if (found.length === 1) return found[0]!
  if (found.length > 1) {
    throw new PlimsollError('USAGE', `${name} could be ${found.map((each) => each.stream).join(' or ')}`, {
      hint: 'Name it with its schema.',
    })
  }
  const known = streams.map((each) => each.stream)
  const word = nearest(name, [...known, ...streams.map((each) => each.target.name)])
  throw new PlimsollError('TABLE_NOT_FOUND', `the pipeline has no table ${name}`, {
    hint: `${word === undefined ? '' : `Did you mean ${word}? `}It has: ${known.join(', ')}.`,
  })
}
