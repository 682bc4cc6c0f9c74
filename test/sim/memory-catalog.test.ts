import { hostname } from 'node:os'
import { catalogSuite } from '../../src/testing/catalog-suite.ts'
import { createMemoryCatalog } from '../../src/testing/simulator/memory-catalog.ts'
import { createMemoryStore, type MemoryStore } from '../../src/testing/simulator/memory-store.ts'

const stores = new Map<string, MemoryStore>()

catalogSuite({
  async createLocation() {
    const location = String(stores.size)
    stores.set(location, createMemoryStore())
    return location
  },
  openCatalog: async (location) =>
    createMemoryCatalog({
      store: stores.get(location)!,
      nowUs: () => BigInt(Date.now()) * 1000n,
      host: hostname(),
      pid: process.pid,
      isDead: () => false,
    }),
})
