import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvOf } from '../../testing/destination-rows.ts'
import { cutPieces } from './csv-pieces.ts'

const LIMITS = { rows: 3, bytes: 40 }

async function pieces(chunks: readonly Buffer[], limits = LIMITS): Promise<string[]> {
  const found: string[] = []
  let open = ''
  for await (const block of cutPieces(toAsync(chunks), limits)) {
    open += block.bytes.toString('latin1')
    if (!block.endsPiece) continue
    found.push(open)
    open = ''
  }
  return open === '' ? found : [...found, open]
}

async function* toAsync(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks
}

const value = fc.option(fc.stringMatching(/^[a",\n\r]{0,6}$/))
const rows = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 30 })

test('pieces hold whole rows and all bytes, however the bytes come', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), async (table, chunkLength) => {
      const bytes = Buffer.from(csvOf(table))
      const chunks: Buffer[] = []
      for (let at = 0; at < bytes.length; at += chunkLength) chunks.push(bytes.subarray(at, at + chunkLength))
      const found = await pieces(chunks)
      expect(found.join('')).toBe(bytes.toString('latin1'))
      const lines = table.map((row) => csvOf([row]))
      let next = 0
      for (const piece of found) {
        let taken = ''
        while (taken.length < piece.length) taken += lines[next++]
        expect(taken).toBe(piece)
      }
    }),
  )
})

test('a line end inside quotes ends no piece, wherever the bytes are cut', async () => {
  const csv = '1,"a\nb\n\nc"\n2,"""\n"""\n3,x\n'
  for (let at = 0; at <= csv.length; at++) {
    const chunks = [Buffer.from(csv.slice(0, at)), Buffer.from(csv.slice(at))]
    for (const piece of await pieces(chunks, { rows: 1, bytes: 1 })) expect(piece).toMatch(/^\d,[\s\S]*\n$/)
  }
})

test('pieces end near their limits', async () => {
  const csv = Array.from({ length: 100 }, (_, i) => `${i},x\n`)
  const found = await pieces(csv.map((row) => Buffer.from(row)))
  expect(found.slice(0, -1).map((piece) => piece.split('\n').length - 1)).toEqual(Array(33).fill(3))
})
