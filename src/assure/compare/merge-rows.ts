import { assert } from '../../kernel/assert.ts'
import type { LookedRow } from '../../sources/look.ts'

/** All rows of one key on both sides; more than one where the key stands twice. */
export interface KeyGroup {
  readonly keyText: string
  readonly keyDigest: string
  readonly source: readonly LookedRow[]
  readonly destination: readonly LookedRow[]
}

/** Walks two ordered streams side by side; memory holds one batch of each, whatever differs (spec F29). */
export async function* mergeRows(
  source: AsyncIterable<readonly LookedRow[]>,
  destination: AsyncIterable<readonly LookedRow[]>,
): AsyncGenerator<KeyGroup> {
  const [left, right] = [cursor(source, 'source'), cursor(destination, 'destination')]
  try {
    for (;;) {
      const [a, b] = [await left.peek(), await right.peek()]
      if (!a && !b) return
      const first = !b || (a && isBefore(a, b)) ? a! : b
      yield {
        keyText: first.keyText,
        keyDigest: first.keyDigest,
        source: await left.takeKey(first),
        destination: await right.takeKey(first),
      }
    }
  } finally {
    await Promise.all([left.close(), right.close()])
  }
}

interface Cursor {
  peek(): Promise<LookedRow | undefined>
  takeKey(key: LookedRow): Promise<LookedRow[]>
  close(): Promise<void>
}

function cursor(batches: AsyncIterable<readonly LookedRow[]>, side: string): Cursor {
  const iterator = batches[Symbol.asyncIterator]()
  let batch: readonly LookedRow[] = []
  let at = 0
  const peek = async (): Promise<LookedRow | undefined> => {
    while (at >= batch.length) {
      const next = await iterator.next()
      if (next.done) return undefined
      batch = next.value
      at = 0
    }
    return batch[at]
  }
  return {
    peek,
    async takeKey(key) {
      const taken: LookedRow[] = []
      for (let row = await peek(); row && !isBefore(key, row) && !isBefore(row, key); row = await peek()) {
        taken.push(row)
        at++
      }
      const next = await peek()
      assert(!next || !isBefore(next, key), `${side}: rows came out of order`)
      return taken
    },
    async close() {
      await iterator.return?.()
    },
  }
}

/** By digest, then by text: code units, the same for both sides whatever their collation. */
function isBefore(a: LookedRow, b: LookedRow): boolean {
  return a.keyDigest === b.keyDigest ? a.keyText < b.keyText : a.keyDigest < b.keyDigest
}
