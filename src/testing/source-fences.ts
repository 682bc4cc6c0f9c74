import { describe, expect, test } from 'vitest'
import { comparePositions, type Position } from '../kernel/position.ts'
import { inSourceScene, row, type SourceScene, second } from './source-scene.ts'
import type { SourceSetup } from './source-setup.ts'

const FENCES = 6

/** No row appears below a fence after it was taken (spec E9, E12, E17 to E20). */
export function fenceTests(setup: SourceSetup): void {
  describe('fence', () => {
    test('stays at or below the stamp of an open writer, whose row then lands', () =>
      inSourceScene(setup, 'open writer', async (scene) => {
        await afterFirstFence(scene)
        const writer = await scene.database.openWriter(7)
        const before = await scene.fence()
        await scene.pause(1_200)
        const held = await scene.fence()
        await writer.commit()
        for (const { value } of [before, held]) {
          if (value) expect(await scene.idsBetween(undefined, value)).not.toContain(7)
        }
        const after = await scene.fenceUntil(async (value) =>
          (await scene.idsBetween(held.value, value)).includes(7),
        )
        if (held.value) expect(comparePositions(after, held.value)).toBeGreaterThan(0)
      }))

    test('stands at or below every row that is stamped after it', () =>
      inSourceScene(setup, 'stamped after', async (scene) => {
        await afterFirstFence(scene)
        await scene.database.put(Array.from({ length: 30 }, (_, i) => row(1_000 + i, second(i * 7))))
        for (let id = 0; id < FENCES; id++) {
          const { value } = await scene.fence()
          await (await scene.database.openWriter(id)).commit()
          if (value) expect(await scene.idsBetween(undefined, value)).not.toContain(id)
          await scene.pause(170)
        }
      }))

    test('passes a writer that rolls back', () =>
      inSourceScene(setup, 'rolled back', async (scene) => {
        await afterFirstFence(scene)
        const writer = await scene.database.openWriter(7)
        const held = await scene.fence()
        await writer.rollback()
        const limit = await scene.fenceUntil((value) => !held.value || isAbove(value, held.value))
        expect(await scene.idsBetween(undefined, limit)).not.toContain(7)
      }))

    test('never falls while the clock is steady, with writers in between', () =>
      inSourceScene(setup, 'monotone', async (scene) => {
        let last: Position | undefined
        for (let i = 0; i < FENCES; i++) {
          const writer = await scene.database.openWriter(100 + i)
          if (i % 2) await scene.fence()
          await (i % 3 === 2 ? writer.rollback() : writer.commit())
          const { value, clockStepUs } = await scene.fence()
          expect(clockStepUs).toBe('0')
          if (value && last) expect(comparePositions(value, last)).toBeGreaterThanOrEqual(0)
          last = value ?? last
          await scene.pause(150)
        }
      }))

    test('moves on while nothing is written', () =>
      inSourceScene(setup, 'idle', async (scene) => {
        const first = await scene.fenceUntil(() => true)
        await scene.fenceUntil((value) => isAbove(value, first))
      }))

    test('is proven only where the database stamps the rows and the source can show it', () =>
      inSourceScene(setup, 'proof', async (scene) => {
        await scene.fenceUntil(() => true)
        const declared = await scene.fence()
        if (scene.database.source.capabilities.exactFence) expect(declared.proof).toBe('proven')
        expect(declared.proofReason).not.toBe('')
        for (const stampedBy of ['unknown', 'application'] as const) {
          expect((await scene.fence({ stampedBy })).proof).not.toBe('proven')
        }
      }))

    test('speaks of the clock of the source, and is floored to the grain', () =>
      inSourceScene(setup, 'clock', async (scene) => {
        await scene.database.put(Array.from({ length: 30 }, (_, i) => row(i, second(i * 7))))
        const value = await scene.fenceUntil(() => true)
        const fence = await scene.fence()
        expect(fence.t0).toMatch(/^\d{16}$/)
        expect(comparePositions(fence.value ?? value, scene.at(BigInt(fence.t0)))).toBeLessThanOrEqual(0)
        expect(BigInt(fence.grain)).toBeGreaterThanOrEqual(scene.order.grain)
      }))
  })
}

function isAbove(a: Position, b: Position): boolean {
  return comparePositions(a, b) > 0
}

/** Methods that compare two samples have no bound at their first look. */
async function afterFirstFence(scene: SourceScene): Promise<void> {
  await scene.fenceUntil(() => true)
}
