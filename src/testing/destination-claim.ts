import { describe, expect, test } from 'vitest'
import type { Position } from '../kernel/position.ts'
import { failure } from './destination-expect.ts'
import { at } from './destination-rows.ts'
import { type DestinationSetup, inScene } from './destination-setup.ts'
import { firstClaim, landingOf, ordersTable, startStream } from './destination-stream.ts'

const MARKS: readonly (Position | undefined)[] = [
  undefined,
  { kind: 'integer', value: 9007199254740993n },
  { kind: 'integer', value: 9223372036854775807n },
  { kind: 'xid8', value: 18446744073709551615n },
  { kind: 'timestamptz', value: 9224318015999999999n },
  { kind: 'timestamp', value: -210866803200000001n },
  { kind: 'date', value: 0n },
  { kind: 'text', value: `it's "B", ä, \u{1F600}, a ` },
]

/** The claim beside the data: kept exactly, fenced by the epoch (spec E2, E61, E63). */
export function claimTests(setup: DestinationSetup): void {
  describe('claim', () => {
    test('identity is one text a store, over reopening', () =>
      inScene(setup, 'identity', async (scene) => {
        const first = await scene.open()
        const identity = await first.identity()
        expect(identity.id.length).toBeGreaterThan(7)
        expect(identity.engine).not.toBe('')
        expect(identity.version).not.toBe('')
        await first.close()
        expect(await (await scene.open()).identity()).toEqual(identity)
      }))

    test('another store has another identity', () =>
      inScene(setup, 'identity one', (one) =>
        inScene(setup, 'identity two', async (two) => {
          const ids = await Promise.all([one, two].map(async (scene) => (await scene.open()).identity()))
          expect(ids[0]!.id).not.toBe(ids[1]!.id)
        }),
      ))

    test('a stream without a claim has none', () =>
      inScene(setup, 'no claim', async (scene) => {
        const destination = await scene.open()
        expect(await destination.claim('nobody')).toBeUndefined()
        expect(await destination.claims()).toEqual([])
        expect(await destination.receiptOf('nobody', 'none')).toBeUndefined()
      }))

    test('every kind of watermark is kept to the last digit (E2)', () =>
      inScene(setup, 'watermarks', async (scene) => {
        const written = MARKS.map((watermark, i) =>
          firstClaim(`stream.${i} 'ä"`, {
            watermark,
            proof: 'measured',
            facts: '{"schema":"it\'s"}',
            tailKeys: ['["1"]'],
          }),
        )
        const first = await scene.open()
        for (const claim of written) await first.writeClaim(claim, undefined)
        await first.close()
        const second = await scene.open()
        for (const claim of written) expect(await second.claim(claim.stream)).toEqual(claim)
        expect(new Set(await second.claims())).toEqual(new Set(written))
      }))

    test('a raised epoch shuts out the older one (E63)', () =>
      inScene(setup, 'epochs', async (scene) => {
        const destination = await scene.open()
        const table = ordersTable(scene)
        const stream = await startStream(scene, destination, table)
        const old = await stream.claim()
        await destination.writeClaim({ ...old, epoch: 3 }, old)
        await failure('LEASE_FENCED_OUT', destination.writeClaim({ ...old, epoch: 2 }, old))
        await failure(
          'LEASE_FENCED_OUT',
          destination.land(landingOf(table, [['1', '2026-03-01 10:00:00', 'a']], old)),
        )
        expect((await stream.claim()).epoch).toBe(3)
        expect(await stream.rows()).toEqual([])
      }))

    test('a second first claim is refused', () =>
      inScene(setup, 'second first claim', async (scene) => {
        const destination = await scene.open()
        await destination.writeClaim(firstClaim('s', { epoch: 5, watermark: at('2026-03-01') }), undefined)
        await failure('LEASE_FENCED_OUT', destination.writeClaim(firstClaim('s', { epoch: 4 }), undefined))
        expect((await destination.claim('s'))?.watermark).toEqual(at('2026-03-01'))
      }))
  })
}
