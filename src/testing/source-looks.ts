import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { LookScope, WordKind } from '../kernel/fingerprint/comparison.ts'
import { positionFromCanonical } from '../kernel/fingerprint/position-text.ts'
import { wordOf } from '../kernel/fingerprint/words.ts'
import type { FoundRow, Look, LookedRow, SourceLookRequest } from '../sources/look.ts'
import { failure } from './destination-expect.ts'
import { ALL, expectSums, planOf, rowsOf, WORDS } from './look-rows.ts'
import { inSourceScene, row, type SourceScene, second } from './source-scene.ts'
import type { SourceSetup, SuiteRow } from './source-setup.ts'

const DAY_US = 86_400_000_000n
const PAYLOADS = ['', 'a', 'a ', 'N', 'v1:N', ';', "it's", 'ß', 'e\u0301', 'é'.repeat(2_049), null]
const ROWS = PAYLOADS.map((payload, id) => row(id, second(id), payload))

/** A look computes beside the data what the program would compute from the rows; it writes nothing (spec A5, A6, F2 to F5, F28 to F31). */
export function lookTests(setup: SourceSetup): void {
  const inLooks = (name: string, run: (scene: SourceScene) => Promise<void>) =>
    inSourceScene(setup, name, async (scene) => {
      if (scene.database.source.capabilities.pushdownFingerprint) await run(scene)
    })

  describe('looks', () => {
    test.each(['md5', 'sha256'] as const)(
      'words are those of the texts, sums those of the words: %s',
      (digest) =>
        inLooks('look sums', async (scene) => {
          await scene.database.put([...ROWS, row(20, null), row(21, null)])
          await withLook(scene, { digest }, async (look) => {
            for (const word of WORDS) {
              const rows = await expectSums(look, ALL, word)
              const found = await look.find(
                rows.map(({ keyText }) => keyText),
                word,
              )
              expect(rows).toEqual(byDigest(found.map((each) => computed(each, digest, word))))
              expect(found.map(({ texts }) => texts.at(-1)).sort()).toEqual(payloadTexts(digest))
            }
          })
        }),
    )

    test('the rows of some buckets are those rows, in the order of their digests (F29)', () =>
      inLooks('look pick', async (scene) => {
        await scene.database.put(Array.from({ length: 2_500 }, (_, i) => row(i, second(i), null)))
        await withLook(scene, {}, async (look) => {
          const all = await rowsOf(look, ALL, 'row')
          expect(all).toHaveLength(2_500)
          expect(all).toEqual(byDigest(all))
          const buckets = new Set(['0a', '77', 'ff', 'zz'])
          const picked = all.filter(({ keyDigest }) => buckets.has(keyDigest.slice(0, 2)))
          expect(picked.length).toBeGreaterThan(10)
          expect(await rowsOf(look, ALL, 'row', { digits: 2, buckets })).toEqual(picked)
          expect(await rowsOf(look, ALL, 'row', { digits: 2, buckets: new Set() })).toEqual([])
          // Whoever has seen enough leaves, and the look goes on.
          for await (const batch of look.rows(ALL, 'position')) {
            expect(batch.length).toBeGreaterThan(0)
            break
          }
          expect((await look.sums(ALL, 'row', 1)).size).toBe(16)
        })
      }))

    test('bounds are half-open; rows dated ahead are ordered; the others are unordered (A8, E43)', () =>
      inLooks('look scopes', async (scene) => {
        const { t0 } = await scene.fence()
        const ahead = BigInt(t0) - (BigInt(t0) % 1_000_000n) + 30n * DAY_US
        await scene.database.put([
          row(1, second(1)),
          row(2, second(2)),
          row(3, second(3)),
          row(4, ahead),
          row(5, null),
        ])
        const lanes = Object.values(scene.database.putInLane ?? {})
        for (const [i, put] of lanes.entries()) await put(11 + i)
        const unordered = ['5', ...lanes.map((_, i) => `${11 + i}`)].sort()
        await withLook(scene, {}, async (look) => {
          const ids = async (scope: LookScope) =>
            (await rowsOf(look, scope, 'row')).map(({ keyText }) => keyText).sort()
          expect(await ids({ rows: 'ordered' })).toEqual(['1', '2', '3', '4'])
          expect(await ids({ rows: 'unordered' })).toEqual(unordered)
          expect(await ids(ALL)).toEqual(['1', '2', '3', '4', ...unordered].sort())
          const [lower, upper] = [scene.at(second(2)), scene.at(second(3))]
          expect(await ids({ rows: 'ordered', lower, upper })).toEqual(['2'])
          expect(await ids({ rows: 'ordered', upper })).toEqual(['1', '2'])
          expect(await ids({ rows: 'ordered', lower })).toEqual(['2', '3', '4'])
          for (const each of await rowsOf(look, ALL, 'row')) {
            const place = positionFromCanonical(scene.order, each.position)
            expect([each.keyText, place === undefined]).toEqual([
              each.keyText,
              unordered.includes(each.keyText),
            ])
          }
        })
      }))

    test('keys that are not there are not found; a thousand are asked for at once', () =>
      inLooks('look find', async (scene) => {
        await scene.database.put(Array.from({ length: 1_000 }, (_, i) => row(i, second(i))))
        await withLook(scene, {}, async (look) => {
          const asked = Array.from({ length: 1_000 }, (_, i) => `${i + 500}`)
          const found = (await look.find(asked, 'row')).map(({ keyText }) => Number(keyText))
          expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, i) => i + 500))
          expect(await look.find([], 'row')).toEqual([])
          expect(await look.find(['z', "';--", '5;6', 'N'], 'row')).toEqual([])
        })
      }))

    test('it is one snapshot, however long it lasts, and closes twice (A6)', () =>
      inLooks('look snapshot', async (scene) => {
        await scene.database.put([row(1, second(1)), row(2, second(2))])
        const look = await scene.database.source.openLook(requestOf(scene))
        try {
          const before = await look.sums(ALL, 'row', 1)
          expect(BigInt(look.takenUs) > DAY_US).toBe(true)
          await scene.database.put([row(1, second(5), 'changed'), row(3, second(3))])
          await scene.database.remove([2])
          expect(await look.sums(ALL, 'row', 1)).toEqual(before)
          expect((await rowsOf(look, ALL, 'row')).map(({ keyText }) => keyText).sort()).toEqual(['1', '2'])
          expect(await look.find(['3'], 'row')).toEqual([])
        } finally {
          await look.close()
        }
        await look.close()
        await withLook(scene, {}, async (later) => {
          expect((await rowsOf(later, ALL, 'row')).map(({ keyText }) => keyText).sort()).toEqual(['1', '3'])
        })
      }))

    test('a table that was altered since it was described is not looked at', async (context) =>
      inLooks('look altered', async (scene) => {
        if (!scene.database.addColumn) return context.skip()
        await scene.database.addColumn()
        await failure('SCHEMA_CHANGED', scene.database.source.openLook(requestOf(scene)))
      }))

    test('a query beyond its limit is no answer (F9)', () =>
      inLooks('look limit', async (scene) => {
        await scene.database.put(Array.from({ length: 20_000 }, (_, i) => row(i, second(i))))
        const look = await scene.database.source.openLook({ ...requestOf(scene), queryMaxMs: 20 })
        try {
          const asked = async () => {
            for (let i = 0; i < 20; i++) await look.sums(ALL, 'row', 5)
            await rowsOf(look, ALL, 'row')
          }
          await failure('SOURCE_QUERY_TOO_LONG', asked())
        } finally {
          await look.close()
        }
      }))
  })
}

function requestOf(scene: SourceScene, { digest = 'md5' as 'md5' | 'sha256' } = {}): SourceLookRequest {
  const { shape, order } = scene
  const plan = planOf({ columns: shape.columns, key: ['id'], order, digest })
  const limits = { queryMaxMs: 60_000, lockTimeoutMs: 2_000, replicaWaitMs: 1_000 }
  return { shape, plan, order, asText: [], after: undefined, ...limits }
}

async function withLook(
  scene: SourceScene,
  options: { digest?: 'md5' | 'sha256' },
  work: (look: Look) => Promise<void>,
): Promise<void> {
  const look = await scene.database.source.openLook(requestOf(scene, options))
  try {
    await work(look)
  } finally {
    await look.close()
  }
}

/** What digest and word of a found row must be, from its texts. */
function computed({ keyText, position, texts }: FoundRow, digest: string, word: WordKind): LookedRow {
  const hash = (text: string) => createHash(digest).update(text).digest('hex')
  expect([texts[0], texts[1]]).toEqual([keyText, position])
  const content = word === 'row' ? texts.join(';') : `${keyText};${position}`
  return { keyText, keyDigest: hash(keyText), position, word: wordOf(hash(content)) }
}

function payloadTexts(digest: string): string[] {
  const free = (text: string) => {
    const size = Buffer.byteLength(text)
    return size > 4_096 ? `w${size}:${createHash(digest).update(text).digest('hex')}` : `v${size}:${text}`
  }
  const payloads: SuiteRow[] = [...ROWS, row(20, null), row(21, null)]
  return payloads.map(({ payload }) => (payload === null ? 'N' : free(payload))).sort()
}

/** In the order in which rows of a look come. */
function byDigest<T extends LookedRow>(rows: readonly T[]): T[] {
  const order = ({ keyDigest, keyText }: LookedRow) => `${keyDigest} ${keyText}`
  return [...rows].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}
