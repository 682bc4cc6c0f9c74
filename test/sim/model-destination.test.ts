import type { DestinationConnector } from '../../src/destinations/destination.ts'
import { destinationSuite } from '../../src/testing/destination-suite.ts'
import { createModelDestination } from '../../src/testing/simulator/model-destination.ts'
import { createModelStore, type ModelStore, tableName } from '../../src/testing/simulator/model-store.ts'

const stores = new Map<string, ModelStore>()

const connector: DestinationConnector = {
  schemes: ['model'],
  title: 'Model',
  open: async ({ url, context }) => createModelDestination({ store: stores.get(url)!, reach: context.reach }),
}

destinationSuite({
  connector,
  async createStore() {
    const url = `model:${stores.size}`
    const store = createModelStore(`model store ${stores.size}`)
    stores.set(url, store)
    return {
      url,
      schema: 'suite',
      async readRows(table, columns) {
        const stored = store.tables.get(tableName(table))
        if (!stored) return []
        const at = columns.map(({ name }) => stored.columns.findIndex((column) => column.name === name))
        const rows = [...stored.rows.values()].flat()
        return rows.map((row) => at.map((index) => row.values[index] ?? null))
      },
      remove: async () => undefined,
    }
  },
})
