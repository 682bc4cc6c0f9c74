import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Catalog, Lease } from '../catalog/catalog.ts'
import { type CatalogSetup, onCatalog } from './catalog-setup.ts'
import { startChild } from './child-process.ts'

const CHILD = childModule()
const STREAM = 'pipeline/public.orders'
const LONG_MS = 60_000
const ROUNDS = 15

/** One holder a stream at any moment, each with a higher epoch than all before it (spec E63). */
export function leaseTests(setup: CatalogSetup): void {
  describe('leases', () => {
    test('one holder at a time; the epoch rises with each, above what the destination knows', () =>
      onCatalog(setup, 'one holder', async (catalog, open) => {
        const first = await acquire(catalog, 'a', LONG_MS, 41)
        expect(first.epoch).toBe(42)
        expect(first.expiresUs - catalog.nowUs()).toBeGreaterThan(BigInt(LONG_MS) * 900n)
        const other = await open()
        expect(await other.acquireLease(STREAM, 'b', LONG_MS, 0)).toEqual({ kind: 'busy', lease: first })
        expect(await catalog.acquireLease(STREAM, 'a', LONG_MS, 0)).toEqual({ kind: 'busy', lease: first })
        expect((await acquire(other, 'b', LONG_MS, 0, 'another stream')).epoch).toBe(1)
        expect((await other.leases()).map((lease) => lease.stream)).toEqual(['another stream', STREAM])
        await catalog.releaseLease(first)
        expect((await acquire(other, 'b', LONG_MS, 7)).epoch).toBe(43)
      }))

    test('an expired lease is taken over, and its old holder can neither renew nor release it', () =>
      onCatalog(setup, 'expired', async (catalog, open) => {
        const old = await acquire(catalog, 'a', 1, 0)
        await waitUntilPast(catalog, old.expiresUs)
        const other = await open()
        const lease = await acquire(other, 'b', LONG_MS, 0)
        expect(lease.epoch).toBe(old.epoch + 1)
        expect(await catalog.renewLease(old, LONG_MS)).toBe(false)
        await catalog.releaseLease(old)
        expect(await catalog.acquireLease(STREAM, 'a', LONG_MS, 0)).toEqual({ kind: 'busy', lease })
      }))

    test('what is remembered under a lease is refused once a later one was given', () =>
      onCatalog(setup, 'remembered under a lease', async (catalog, open) => {
        const old = await acquire(catalog, 'a', LONG_MS, 0)
        await catalog.remember(STREAM, 'state', '1', old)
        await catalog.releaseLease(old)
        const lease = await acquire(await open(), 'b', LONG_MS, 0)
        await catalog.remember(STREAM, 'state', '2', lease)
        await expect(catalog.remember(STREAM, 'state', '3', old)).rejects.toMatchObject({
          code: 'LEASE_FENCED_OUT',
        })
        expect(await catalog.memory(STREAM, 'state')).toBe('2')
      }))

    test('a renewed lease lasts on', () =>
      onCatalog(setup, 'renewed', async (catalog, open) => {
        const lease = await acquire(catalog, 'a', 200, 0)
        expect(await catalog.renewLease(lease, LONG_MS)).toBe(true)
        await waitUntilPast(catalog, lease.expiresUs)
        const answer = await (await open()).acquireLease(STREAM, 'b', LONG_MS, 0)
        expect(answer.kind).toBe('busy')
        expect(answer.lease.expiresUs).toBeGreaterThan(lease.expiresUs)
      }))

    const { module } = setup
    if (module === undefined) return

    test('the lease of a dead process of this host is free at once', () =>
      onCatalog(setup, 'dead holder', async (catalog, _, location) => {
        const child = startChild(CHILD, 'takeLeaseAndDie', module, location, STREAM)
        expect(await child.nextLine()).toBe('1')
        await child.ended()
        const held = (await catalog.leases())[0]
        expect(held?.holder).toBe('child')
        expect(held?.expiresUs).toBeGreaterThan(catalog.nowUs())
        expect((await acquire(catalog, 'b', LONG_MS, 0)).epoch).toBe(2)
      }))

    test('two processes that open a new catalog and race for a lease never hold it together', async () => {
      const location = await setup.createLocation('race')
      const children = [1, 2].map(() =>
        startChild(CHILD, 'takeTurns', module, location, STREAM, String(ROUNDS)),
      )
      const epochs = await Promise.all(
        children.map(async (child) => {
          const seen: number[] = []
          for (let line = await child.nextLine(); line; line = await child.nextLine()) seen.push(Number(line))
          return seen
        }),
      )
      expect(epochs.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 2 * ROUNDS }, (_, i) => i + 1))
      // Each turn read a count, waited and wrote one more: together in it, they would have lost one.
      const catalog = await setup.openCatalog(location)
      expect(await catalog.memory('turns', 'count')).toBe(String(2 * ROUNDS))
      await catalog.close()
    })
  })
}

async function acquire(
  catalog: Catalog,
  holder: string,
  leaseMs: number,
  floor: number,
  stream = STREAM,
): Promise<Lease> {
  const answer = await catalog.acquireLease(stream, holder, leaseMs, floor)
  expect(answer.kind).toBe('acquired')
  expect(answer.lease).toMatchObject({ stream, holder, pid: process.pid })
  return answer.lease
}

async function waitUntilPast(catalog: Catalog, us: bigint): Promise<void> {
  while (catalog.nowUs() <= us) await new Promise((resolve) => setTimeout(resolve, 5))
}

export function childModule(): string {
  const own = fileURLToPath(import.meta.url)
  return own.replace(/catalog-leases(?=\.[jt]s$)/, 'catalog-child')
}
