import type { WordKind } from '../../kernel/fingerprint/comparison.ts'
import type { Look, LookedRow } from '../../sources/look.ts'

export interface KeyRef {
  readonly keyText: string
  readonly keyDigest: string
}

/** Beyond this, one pass over the keys' buckets costs less than asking for each. */
const FIND_MAX_KEYS = 5_000
const FIND_PAGE = 1_000
const PICK_DIGITS = 5

/** Rows of these keys, wherever they stand; keys without a row are absent. */
export async function lookUp(
  look: Look,
  keys: readonly KeyRef[],
  word: WordKind,
): Promise<ReadonlyMap<string, readonly LookedRow[]>> {
  const found = new Map<string, LookedRow[]>()
  const add = (row: LookedRow): void => {
    const rows = found.get(row.keyText)
    if (rows) rows.push(row)
    else found.set(row.keyText, [row])
  }
  if (keys.length <= FIND_MAX_KEYS) {
    for (let from = 0; from < keys.length; from += FIND_PAGE) {
      const page = keys.slice(from, from + FIND_PAGE).map(({ keyText }) => keyText)
      for (const row of await look.find(page, word)) add(row)
    }
    return found
  }
  const wanted = new Set(keys.map(({ keyText }) => keyText))
  const buckets = new Set(keys.map(({ keyDigest }) => keyDigest.slice(0, PICK_DIGITS)))
  for await (const batch of look.rows({ rows: 'all' }, word, { digits: PICK_DIGITS, buckets })) {
    for (const row of batch) if (wanted.has(row.keyText)) add(row)
  }
  return found
}
