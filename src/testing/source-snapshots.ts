import { describe, expect, test } from 'vitest'
import { parseWire } from './source-csv.ts'
import { idsOf, inSourceScene, row, second, textOf } from './source-scene.ts'
import type { SourceSetup } from './source-setup.ts'

const MANY = 20_000
const PAYLOADS = [
  'plain',
  '',
  null,
  'a,b',
  'say "x"',
  'line\nbreak',
  'return\rand\r\nboth',
  ' spaces ',
  '\\.',
  '\\N',
  'NULL',
  "it's é ∞ \u{1f6a2} \u2028 \ufffd",
  '\t',
  '"',
] as const

/** A reader is one state of the table; what it gives is well-formed and complete, and can be ended at any time. */
export function snapshotTests(setup: SourceSetup): void {
  describe('reader', () => {
    test('sees what was committed before it opened and nothing later', () =>
      inSourceScene(setup, 'snapshot', async (scene) => {
        if (!scene.database.source.capabilities.snapshotReads) return
        await scene.database.put([row(1, second(1)), row(2, second(2)), row(3, second(3))])
        const reader = await scene.openReader()
        await scene.database.put([row(1, second(5)), row(4, second(4))])
        await scene.database.remove([2])
        const range = { lower: undefined, upper: scene.at(second(10)) }
        expect(await idsOf(reader, { kind: 'range', range })).toEqual([1, 2, 3])
        expect(await reader.newest()).toEqual(scene.at(second(3)))
        expect(await reader.nextBorder(undefined, range.upper, 4)).toBeUndefined()
        await reader.close()
        expect(await scene.idsBetween(scene.at(second(4)), range.upper)).toEqual([1, 4])
      }))

    test('gives every payload exactly, as CSV', () =>
      inSourceScene(setup, 'payloads', async (scene) => {
        await scene.database.put(PAYLOADS.map((payload, id) => row(id, second(id), payload)))
        const reader = await scene.openReader()
        const range = { lower: undefined, upper: scene.at(second(100)) }
        const stream = reader.read({ kind: 'range', range })
        expect(scene.database.source.capabilities.formats).toContain(stream.format)
        const rows = parseWire((await textOf(stream.bytes)).text)
        const byId = new Map(rows.map((each) => [Number(each[0]), each[2]]))
        expect(PAYLOADS.map((_, id) => byId.get(id))).toEqual(PAYLOADS)
        expect(rows.every((each) => each.length === scene.shape.columns.length)).toBe(true)
      }))

    test('can be read from again after a stream was cancelled, begun or not', () =>
      inSourceScene(setup, 'cancel', async (scene) => {
        const rows = Array.from({ length: MANY }, (_, i) => row(i, second(i), 'x'.repeat(100)))
        await scene.database.put(rows)
        const reader = await scene.openReader()
        const all = { kind: 'range', range: { lower: undefined, upper: scene.at(second(MANY)) } } as const
        const untouched = reader.read(all)
        await untouched.cancel()
        const begun = reader.read(all)
        begun.bytes.on('error', () => {})
        await new Promise((resolve) => begun.bytes.once('data', resolve))
        begun.bytes.pause()
        await begun.cancel()
        await expect(begun.done).rejects.toThrow()
        const few = { lower: scene.at(second(10)), upper: scene.at(second(13)) }
        expect(await idsOf(reader, { kind: 'range', range: few })).toEqual([10, 11, 12])
        await reader.close()
      }))

    test('holds nothing of a stream back for want of a reader, and closes over an open one', () =>
      inSourceScene(setup, 'close', async (scene) => {
        await scene.database.put(Array.from({ length: 2_000 }, (_, i) => row(i, second(i), 'x'.repeat(100))))
        const reader = await scene.openReader()
        const stream = reader.read({
          kind: 'range',
          range: { lower: undefined, upper: scene.at(second(2_000)) },
        })
        stream.bytes.on('error', () => {})
        await new Promise((resolve) => stream.bytes.once('readable', resolve))
        stream.done.catch(() => {})
        await stream.cancel()
        await reader.close()
        await scene.database.put([row(1, second(1))])
      }))
  })
}
