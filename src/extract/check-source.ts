import { PlimsollError } from '../kernel/errors.ts'
import { compareLogTexts } from '../kernel/log-position.ts'
import type { ServerIdentity, TableShape } from '../sources/source.ts'
import type { Choice } from './choose.ts'
import { type ClaimFacts, orderToJson } from './facts.ts'

const START_OVER = (stream: string): string =>
  `If this is meant: plimsoll state rewind ${stream} --to start --reason "…" reads everything again in a new generation.`

/**
 * Stops when another system, or an older state of the same one, answers under the address (spec E66). Returns whether
 * the timeline is new, which the caller decides about.
 */
export function checkIdentity(
  stream: string,
  facts: ClaimFacts,
  identity: ServerIdentity,
): { timelineChanged: boolean } {
  const stored = facts.source
  if (
    stored.engine !== identity.engine ||
    stored.id !== identity.id ||
    stored.database !== identity.database
  ) {
    throw new PlimsollError(
      'SOURCE_CHANGED',
      `${stream}: another server or database answers under this address`,
      {
        hint: START_OVER(stream),
        context: {
          expected: `${stored.engine} ${stored.id} ${stored.database}`,
          found: `${identity.engine} ${identity.id} ${identity.database}`,
        },
      },
    )
  }
  const timelineChanged = stored.timeline !== identity.timeline
  const now = identity.logPosition?.text ?? ''
  const wentBack = stored.logPosition !== '' && now !== '' && compareLogTexts(now, stored.logPosition) < 0
  if (wentBack || (timelineChanged && identity.timeline < stored.timeline)) {
    throw new PlimsollError(
      'SOURCE_WENT_BACK',
      `${stream}: the source is older than what was already read from it`,
      {
        hint: `It was restored from a backup, or a stale clone answers. ${START_OVER(stream)}`,
        context: {
          read_up_to: stored.logPosition,
          found: now,
          timeline_before: stored.timeline,
          timeline_now: identity.timeline,
        },
      },
    )
  }
  return { timelineChanged }
}

/** Columns that are new since the claim; throws SCHEMA_CHANGED for anything that is not just an added column (spec E67). */
export function checkSchema(
  stream: string,
  facts: ClaimFacts,
  shape: TableShape,
  key: readonly string[],
): readonly string[] {
  const changes = schemaChanges(facts, shape, key)
  if (changes.length > 0) {
    throw new PlimsollError('SCHEMA_CHANGED', `${stream}: ${changes.join('; ')}`, {
      hint: `Nothing was landed. Make the destination table fit, or take another with --as. ${START_OVER(stream)}`,
    })
  }
  const known = new Set(facts.columns.map((column) => column.name))
  return shape.columns.filter((column) => !known.has(column.name)).map((column) => column.name)
}

function schemaChanges(facts: ClaimFacts, shape: TableShape, key: readonly string[]): string[] {
  const changes: string[] = []
  if (facts.table.objectId !== shape.objectId) changes.push('another table stands under the name')
  const now = new Map(shape.columns.map((column) => [column.name, column]))
  for (const { name, nativeType, identity } of facts.columns) {
    const found = now.get(name)
    if (found === undefined) changes.push(`column ${name} is gone or renamed`)
    else if (found.nativeType !== nativeType) {
      changes.push(`column ${name} was ${nativeType} and is ${found.nativeType}`)
    } else if (identity !== undefined && identity !== found.identity) {
      changes.push(
        `column ${name} is another one than before: dropped and added again, or renamed to its name`,
      )
    }
  }
  if (facts.key.join('\0') !== key.join('\0')) {
    changes.push(`the key was ${facts.key.join(', ') || 'none'} and is ${key.join(', ') || 'none'}`)
  }
  return changes
}

/** Stops when the order of the claim is not the order of today (spec E2, E68). */
export function checkOrder(stream: string, facts: ClaimFacts, choice: Choice): void {
  const before = facts.order
  const now = orderToJson(choice.order)
  if (before.column !== now.column) {
    throw new PlimsollError(
      'POSITION_TYPE_CHANGED',
      `${stream}: the claim was made in the order of ${before.column}, not of ${now.column}`,
      {
        hint: `Another position column starts a new generation. ${START_OVER(stream)}`,
      },
    )
  }
  for (const part of ['kind', 'flavour', 'unit', 'encoding', 'template', 'zone', 'collation'] as const) {
    if (before[part] === now[part]) continue
    throw new PlimsollError(
      'POSITION_TYPE_CHANGED',
      `${stream}: the ${part} of ${now.column} was ${before[part] || 'none'} and is ${now[part] || 'none'}`,
      {
        hint: START_OVER(stream),
      },
    )
  }
}
