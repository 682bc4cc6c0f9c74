import { PlimsollError } from '../kernel/errors.ts'
import { isTimeLike } from '../kernel/moment.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { PositionFact, TableShape } from '../sources/source.ts'
import type { StreamSettings } from './settings.ts'

/** What identifies and orders a table, and how that was decided, in words for a person. */
export interface Choice {
  readonly key: readonly string[]
  /** The source itself guarantees that no two rows of a snapshot share the key. */
  readonly keyEnforced: boolean
  readonly order: PositionOrder
  readonly said: readonly string[]
}

/**
 * The key and the position column of a stream: declared, or found when there is exactly one best candidate.
 * Throws KEY_MISSING, POSITION_MISSING, POSITION_AMBIGUOUS, POSITION_REFUSED, APPEND_WITH_OVERLAP.
 */
export function choose(settings: StreamSettings, shape: TableShape): Choice {
  const key = chooseKey(settings, shape)
  const position = choosePosition(settings, shape)
  if (isSequence(position.order) && !settings.appendOnly) {
    throw new PlimsollError(
      'POSITION_REFUSED',
      `${settings.stream}: ${position.order.column} is a counter, so updates would not be seen`,
      {
        hint: 'Declare the table append-only (--append-only, appendOnly: true), or choose a column that changes with every update.',
      },
    )
  }
  return { ...key, order: position.order, said: [...key.said, ...position.said] }
}

const isSequence = (order: PositionOrder): boolean => order.kind === 'integer' && !isTimeLike(order)

function chooseKey(settings: StreamSettings, shape: TableShape): Omit<Choice, 'order'> {
  const enforcedBy = (columns: readonly string[]): boolean =>
    shape.keys.some((key) => key.columns.every((column) => columns.includes(column)))
  if (settings.key) {
    const unknown = settings.key.filter((name) => !shape.columns.some((column) => column.name === name))
    if (unknown.length > 0) {
      throw new PlimsollError(
        'KEY_MISSING',
        `${settings.stream}: no column ${unknown.join(', ')} in the table`,
        {
          hint: `Columns: ${shape.columns.map((column) => column.name).join(', ')}.`,
        },
      )
    }
    return {
      key: settings.key,
      keyEnforced: enforcedBy(settings.key),
      said: [`key ${settings.key.join(', ')}: declared`],
    }
  }
  const found = shape.keys[0]
  if (found) {
    const said = `key ${found.columns.join(', ')}: ${found.origin.replace('_', ' ')}`
    return { key: found.columns, keyEnforced: true, said: [said] }
  }
  if (settings.appendOnly)
    return { key: [], keyEnforced: false, said: ['no key: append-only, ranges are replaced'] }
  throw new PlimsollError(
    'KEY_MISSING',
    `${settings.stream}: the table has no primary key and no usable unique index`,
    {
      hint: 'Name the columns that identify a row with --key, or declare the table append-only.',
    },
  )
}

function choosePosition(
  settings: StreamSettings,
  shape: TableShape,
): { order: PositionOrder; said: readonly string[] } {
  const declared = settings.position?.column
  if (declared !== undefined) return declaredPosition(settings, shape, declared)
  const usable = shape.positions.filter(
    (fact) => fact.order && (settings.appendOnly || !isSequence(fact.order)),
  )
  const best = Math.max(...usable.map((fact) => fact.score))
  const top = usable.filter((fact) => fact.score === best && fact.score > 0)
  if (top.length === 1) {
    const fact = top[0]!
    return { order: fact.order!, said: [`position ${fact.column}: ${describeFact(fact)}`] }
  }
  if (top.length > 1) {
    throw new PlimsollError(
      'POSITION_AMBIGUOUS',
      `${settings.stream}: ${top.map((fact) => fact.column).join(' and ')} could both order the table`,
      { hint: `Choose one: --position ${top[0]!.column}. It must change with every insert and update.` },
    )
  }
  throw new PlimsollError(
    'POSITION_MISSING',
    `${settings.stream}: no column that orders the table was found`,
    {
      hint: ['Name one with --position.', usableInstead(shape, ''), counters(shape) + refusals(shape)]
        .filter(Boolean)
        .join(' ')
        .trim(),
    },
  )
}

function declaredPosition(
  settings: StreamSettings,
  shape: TableShape,
  column: string,
): { order: PositionOrder; said: readonly string[] } {
  const fact = shape.positions.find((each) => each.column === column)
  if (fact?.order) return { order: fact.order, said: [`position ${column}: declared; ${describeFact(fact)}`] }
  const exists = shape.columns.some((each) => each.name === column)
  if (!exists) {
    throw new PlimsollError('POSITION_MISSING', `${settings.stream}: no column ${column} in the table`, {
      hint: `Columns: ${shape.columns.map((each) => each.name).join(', ')}.`,
    })
  }
  throw new PlimsollError(
    'POSITION_REFUSED',
    `${settings.stream}: ${column} cannot order the table: ${fact?.refused ?? 'its type has no order'}`,
    {
      hint:
        [usableInstead(shape, column), refusals(shape, column)].filter(Boolean).join(' ') ||
        'Choose a timestamp, an exact integer, an xid8 or a byte-ordered time text.',
    },
  )
}

function describeFact(fact: PositionFact): string {
  const evidence = fact.evidence.length > 0 ? fact.evidence.join(', ') : 'no evidence of who stamps it'
  return fact.indexed ? evidence : `${evidence}, no index`
}

/** Counters order only what is never updated, so they are not found by themselves. */
function counters(shape: TableShape): string {
  return shape.positions
    .filter((fact) => fact.order && isSequence(fact.order))
    .map(
      (fact) =>
        `${fact.column}: a counter, for tables whose rows never change (--append-only, appendOnly: true). `,
    )
    .join('')
}

function usableInstead(shape: TableShape, except: string): string {
  const usable = shape.positions.filter(
    (fact) => fact.order && !isSequence(fact.order) && fact.column !== except,
  )
  return usable.length === 0 ? '' : `These could: ${usable.map((fact) => fact.column).join(', ')}.`
}

function refusals(shape: TableShape, except?: string): string {
  return shape.positions
    .filter((fact) => fact.refused && fact.column !== except)
    .slice(0, 5)
    .map((fact) => `${fact.column}: ${fact.refused}.`)
    .join(' ')
}
