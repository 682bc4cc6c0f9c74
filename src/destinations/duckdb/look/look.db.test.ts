import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTestStore } from '../../../../test/support/duckdb-store.ts'
import { makeComparisonPlan } from '../../../kernel/fingerprint/make-plan.ts'
import { failure } from '../../../testing/destination-expect.ts'
import { inScene, type Scene } from '../../../testing/destination-setup.ts'
import { column, ordersTable, startStream, type TestStream } from '../../../testing/destination-stream.ts'
import type { TargetTable } from '../../destination.ts'
import { connector } from '../index.ts'

const T = '2026-03-01 10:00:00'
const ALL = { rows: 'all' } as const
const LIMITS = { queryMaxMs: 60_000, lockTimeoutMs: 1_000 }

const inDuckdb = (name: string, run: (scene: Scene) => Promise<void>) =>
  inScene({ connector, createStore: createTestStore }, name, run)

const planOf = (table: TargetTable) =>
  makeComparisonPlan({
    shape: table,
    key: table.key,
    order: table.order,
    asText: table.asText,
    destinationEngine: 'duckdb',
    digestHex: (text) => createHash('sha256').update(text).digest('hex'),
  })

const openLook = ({ destination, table }: TestStream) =>
  destination.openLook({ table, plan: planOf(table), ...LIMITS })

async function mark(stream: TestStream, keyTexts: readonly string[]): Promise<number> {
  const claimBefore = await stream.claim()
  const readSeq = claimBefore.readSeq + 1
  const batchId = `marks-${readSeq}`
  return stream.destination.remove({
    table: stream.table,
    keyTexts,
    plan: planOf(stream.table),
    mode: 'mark',
    batchId,
    readSeq,
    epoch: claimBefore.epoch,
    claimBefore,
    claimAfter: { ...claimBefore, readSeq, batch: batchId },
  })
}

test('the target may change its shape under an open look, which sees what stood there', () =>
  inDuckdb('look and alter', async (scene) => {
    const stream = await startStream(scene, await scene.open(), ordersTable(scene))
    await stream.land([
      ['1', T, 'a'],
      ['2', T, 'b'],
    ])
    const before = await openLook(stream)
    const sums = await before.look.sums(ALL, 'row', 3)
    // The first mark adds a column, a new column of the source another one.
    expect(await mark(stream, ['1'])).toBe(1)
    const wider = { ...stream.table, columns: [...stream.table.columns, column('more', { name: 'text' })] }
    await stream.destination.prepare(wider, await stream.claim())
    const next = await startStream(scene, stream.destination, wider)
    await next.land([['3', T, 'c', 'x']])
    expect(await before.look.sums(ALL, 'row', 3)).toEqual(sums)
    expect(await before.look.find(['1', '3'], 'row')).toHaveLength(1)
    await before.look.close()
    const after = await openLook(next)
    expect((await after.look.find(['1', '2', '3'], 'row')).map(({ keyText }) => keyText).sort()).toEqual([
      '2',
      '3',
    ])
    await after.look.close()
  }))

test('a column that was not landed yet is named, not taken for a difference (F6)', () =>
  inDuckdb('look and new column', async (scene) => {
    const stream = await startStream(scene, await scene.open(), ordersTable(scene))
    await stream.land([['1', T, 'a']])
    const columns = [...stream.table.columns, column('more', { name: 'text' })]
    const wider = { ...stream, table: { ...stream.table, columns } }
    const error = await failure('DESTINATION_TABLE_MISMATCH', openLook(wider))
    expect(error.message).toContain('more')
  }))

test('memory does not grow with the rows that are walked (F29)', () =>
  inDuckdb('look and walk', async (scene) => {
    const stream = await startStream(scene, await scene.open(), ordersTable(scene))
    await stream.land(Array.from({ length: 50_000 }, (_, i) => [`${i}`, T, `note ${i}`]))
    const { look } = await openLook(stream)
    const [sizes, seen] = [[] as number[], new Set<string>()]
    for await (const batch of look.rows(ALL, 'row')) {
      sizes.push(batch.length)
      for (const { keyText } of batch) seen.add(keyText)
    }
    expect(seen.size).toBe(50_000)
    expect(Math.max(...sizes)).toBeLessThan(25_000)
    await look.close()
  }))
