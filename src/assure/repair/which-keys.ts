import { PlimsollError } from '../../kernel/errors.ts'
import type { Finding } from '../../kernel/finding.ts'
import { comparePositions, type Position } from '../../kernel/position.ts'
import { formatPosition, parsePosition } from '../../kernel/print.ts'
import { type CheckSession, openLooks } from '../check-session.ts'
import { mergeRows } from '../compare/merge-rows.ts'
import { keyTextAsked } from './key-asked.ts'
import { tooMany } from './too-many.ts'

/** What a person named: ids of checks or findings, keys, or a range of positions as they are printed. */
export type KeysAsked =
  | { readonly kind: 'findings'; readonly ids: readonly string[] }
  | { readonly kind: 'keys'; readonly keys: readonly (readonly (string | null)[])[] }
  | { readonly kind: 'range'; readonly from: string | undefined; readonly to: string | undefined }

export interface WhichKeys {
  readonly keyTexts: readonly string[]
  readonly findings: readonly Finding[]
}

/** The keys to repair, at most as many as a repair brings (spec A30). Throws USAGE otherwise, with the line that would do. */
export async function keysOf(check: CheckSession, asked: KeysAsked): Promise<WhichKeys> {
  if (check.choice.key.length === 0) {
    throw new PlimsollError(
      'USAGE',
      `${check.settings.stream} has no key, so single rows cannot be repaired`,
      {
        hint: `Read a range again: plimsoll backfill ${check.settings.stream} --from … --to …`,
      },
    )
  }
  if (asked.kind === 'findings') return keysOfFindings(check, asked.ids)
  if (asked.kind === 'range') return { keyTexts: await keysOfRange(check, asked), findings: [] }
  const limit = check.settings.limits.repairMaxRows
  if (asked.keys.length > limit)
    throw tooMany(check.settings.stream, asked.keys.length, limit, ' --from … --to …')
  const keyTexts = asked.keys.map((key) => {
    const keyText = keyTextAsked(check, key)
    if (keyText !== undefined) return keyText
    throw new PlimsollError('USAGE', `${JSON.stringify(key)} is no key of ${check.settings.stream}`, {
      hint: `The key is ${check.choice.key.join(', ')}; write one value, or a JSON array for several columns.`,
    })
  })
  return { keyTexts: [...new Set(keyTexts)], findings: [] }
}

async function keysOfFindings(check: CheckSession, ids: readonly string[]): Promise<WhichKeys> {
  const limit = check.settings.limits.repairMaxRows
  const found = await findingsOf(check, ids, limit + 1)
  const confirmed = found.filter(({ state }) => state === 'confirmed')
  if (confirmed.length > limit) throw tooMany(check.settings.stream, confirmed.length, limit, '')
  const oldKeys = confirmed.flatMap(({ evidence }) => evidence.old_key_text ?? [])
  return {
    keyTexts: [...new Set([...confirmed.map(({ keyText }) => keyText), ...oldKeys])],
    findings: confirmed,
  }
}

/** Findings by their own id or that of their check. Throws USAGE for an id of nobody. */
export async function findingsOf(
  check: CheckSession,
  ids: readonly string[],
  limit: number,
): Promise<readonly Finding[]> {
  const { catalog } = check.engine
  const stream = check.settings.catalogKey
  const found: Finding[] = []
  for (const id of ids) {
    const byCheck = await catalog.findings({ stream, checkId: id, limit })
    const byId = byCheck.length > 0 ? byCheck : await catalog.findings({ stream, ids: [id], limit: 1 })
    if (byId.length === 0) {
      throw new PlimsollError('USAGE', `${check.settings.stream} has no findings ${id}`, {
        hint: 'plimsoll audit prints them; a finding belongs to the table it was found in.',
      })
    }
    found.push(...byId)
  }
  return found
}

const MAX_SHARE = 0.05

/** Keys of a range that are not alike on both sides; above 5 % of it a backfill does it better (spec A30). */
async function keysOfRange(
  check: CheckSession,
  asked: { from: string | undefined; to: string | undefined },
): Promise<readonly string[]> {
  const { settings } = check
  const looks = await openLooks(check)
  try {
    const lower = typed(check, asked.from)
    const to = typed(check, asked.to) ?? looks.claim.watermark!
    const upper = comparePositions(to, looks.claim.watermark!) < 0 ? to : looks.claim.watermark!
    if (lower && comparePositions(lower, upper) >= 0) {
      throw new PlimsollError('USAGE', `nothing lies from ${asked.from} to ${formatPosition(upper)}`, {
        hint: 'Rows are repaired below the watermark; plimsoll run brings what lies above it.',
      })
    }
    const scope = { rows: 'ordered', upper, ...(lower ? { lower } : {}) } as const
    const backfill = ` --from "${lower ? formatPosition(lower) : ''}" --to "${formatPosition(upper)}"`
    const keyTexts = new Set<string>()
    let rowCount = 0
    for await (const { keyText, source, destination } of mergeRows(
      looks.source.rows(scope, 'row'),
      looks.destination.rows(scope, 'row'),
    )) {
      rowCount += source.length
      if (rowCount > settings.limits.repairMaxRangeRows)
        throw tooMany(settings.stream, rowCount, settings.limits.repairMaxRangeRows, backfill)
      const isAlike =
        source.length === 1 && destination.length === 1 && source[0]!.word === destination[0]!.word
      if (!isAlike) keyTexts.add(keyText)
    }
    const isMany = keyTexts.size > 100 && keyTexts.size > rowCount * MAX_SHARE
    if (isMany || keyTexts.size > settings.limits.repairMaxRows) {
      throw tooMany(
        settings.stream,
        keyTexts.size,
        Math.min(settings.limits.repairMaxRows, Math.floor(rowCount * MAX_SHARE)),
        backfill,
      )
    }
    return [...keyTexts]
  } finally {
    await looks.close()
  }
}

function typed(check: CheckSession, text: string | undefined): Position | undefined {
  if (text === undefined) return undefined
  const position = parsePosition(check.choice.order, text)
  if (position) return position
  throw new PlimsollError('USAGE', `${text} is no position of ${check.settings.stream}`, {
    hint: 'Write it as the watermark is printed by plimsoll status.',
  })
}
