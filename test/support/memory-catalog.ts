import type { Catalog } from '../../src/catalog/catalog.ts'
import { createMemoryCatalog } from '../../src/testing/simulator/memory-catalog.ts'
import { createMemoryStore } from '../../src/testing/simulator/memory-store.ts'

/** A catalog in memory whose clock the test sets. */
export function memoryCatalog(nowUs: () => bigint): Catalog {
  return createMemoryCatalog({ store: createMemoryStore(), nowUs, host: 'test', pid: 1, isDead: () => false })
}
