import { expect, test } from 'vitest'
import { InvariantError } from '../../kernel/assert.ts'
import type { LookedRow } from '../../sources/look.ts'
import { mergeRows } from './merge-rows.ts'

const row = (keyDigest: string, word = 0n): LookedRow => ({
  keyText: `k${keyDigest}`,
  keyDigest,
  position: '1',
  word,
})

async function* batches(...parts: readonly (readonly LookedRow[])[]): AsyncGenerator<readonly LookedRow[]> {
  yield* parts
}

async function merged(
  source: AsyncIterable<readonly LookedRow[]>,
  destination: AsyncIterable<readonly LookedRow[]>,
): Promise<string[]> {
  const groups: string[] = []
  for await (const group of mergeRows(source, destination))
    groups.push(`${group.keyText} ${group.source.length}:${group.destination.length}`)
  return groups
}

test('keys of both sides meet, whatever the batches', async () => {
  const source = batches([row('a'), row('b')], [], [row('b'), row('d')])
  const destination = batches([row('b')], [row('c'), row('d')])
  expect(await merged(source, destination)).toEqual(['ka 1:0', 'kb 2:1', 'kc 0:1', 'kd 1:1'])
})

test('two empty sides have nothing to say', async () => {
  expect(await merged(batches(), batches([]))).toEqual([])
})

test('rows out of order are a defect, never a difference (A24)', async () => {
  await expect(merged(batches([row('b'), row('a'), row('c')]), batches())).rejects.toThrow(InvariantError)
})
