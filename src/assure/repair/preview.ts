import type { FoundRow, Look } from '../../sources/look.ts'
import type { BothLooks } from '../check-session.ts'
import type { KeyRef } from '../compare/look-up.ts'

export type RepairAction = 'insert' | 'update' | 'remove' | 'leave'

/** What a repair would do with one key (spec A29). Positions are canonical texts. */
export interface PreviewedRow {
  readonly keyText: string
  readonly action: RepairAction
  readonly oldPosition: string | null
  readonly newPosition: string | null
}

const PAGE = 1_000

/** Looks at the keys on both sides, destination first; writes nothing. */
export async function previewRepair(
  looks: BothLooks,
  keys: readonly Pick<KeyRef, 'keyText'>[],
): Promise<readonly PreviewedRow[]> {
  const keyTexts = keys.map(({ keyText }) => keyText)
  const there = await findAll(looks.destination, keyTexts)
  const here = await findAll(looks.source, keyTexts)
  return keyTexts.map((keyText) => {
    const [source, destination] = [here.get(keyText) ?? [], there.get(keyText) ?? []]
    return {
      keyText,
      action: actionFor(source, destination),
      oldPosition: destination[0]?.position ?? null,
      newPosition: source[0]?.position ?? null,
    }
  })
}

function actionFor(source: readonly FoundRow[], destination: readonly FoundRow[]): RepairAction {
  const row = source[0]
  if (!row) return destination.length > 0 ? 'remove' : 'leave'
  if (destination.length === 0) return 'insert'
  return destination.length === 1 && destination[0]!.word === row.word ? 'leave' : 'update'
}

async function findAll(
  look: Look,
  keyTexts: readonly string[],
): Promise<ReadonlyMap<string, readonly FoundRow[]>> {
  const found = new Map<string, FoundRow[]>()
  for (let from = 0; from < keyTexts.length; from += PAGE) {
    for (const row of await look.find(keyTexts.slice(from, from + PAGE), 'row')) {
      found.set(row.keyText, [...(found.get(row.keyText) ?? []), row])
    }
  }
  return found
}
