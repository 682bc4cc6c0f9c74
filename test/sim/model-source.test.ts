import { describe } from 'vitest'
import { ModelDatabase } from '../../src/testing/simulator/model-database.ts'
import type { ModelPosition } from '../../src/testing/simulator/model-row.ts'
import { createModelSource } from '../../src/testing/simulator/model-source.ts'
import { ModelStandby } from '../../src/testing/simulator/model-standby.ts'
import { createRandom } from '../../src/testing/simulator/random.ts'
import { createVirtualClock } from '../../src/testing/simulator/virtual-clock.ts'
import type { SuiteDatabase } from '../../src/testing/source-setup.ts'
import { sourceSuite } from '../../src/testing/source-suite.ts'

const GRAIN_US = 1_000_000n

for (const method of ['P1', 'P2'] as const) {
  for (const standbyCount of [0, 2]) {
    describe(`model source, ${method}, ${standbyCount} standbys`, () => {
      sourceSuite({ create: async () => createSuiteDatabase(method, standbyCount) })
    })
  }
}

function createSuiteDatabase(method: 'P1' | 'P2', standbyCount: number): SuiteDatabase {
  const clock = createVirtualClock()
  const database = new ModelDatabase(clock, () => undefined)
  const standbys = Array.from({ length: standbyCount }, () => new ModelStandby(database))
  const replay = (): void => {
    for (const standby of standbys) standby.replay(standby.behind)
  }
  const sleep = async (ms: number): Promise<void> => {
    clock.advance(BigInt(ms) * 1000n)
    replay()
  }
  const memory = new Map<string, string>()
  const source = createModelSource({
    method,
    database,
    standbys,
    clock,
    grainUs: GRAIN_US,
    memory: {
      load: async (name) => memory.get(name),
      save: async (name, json) => void memory.set(name, json),
    },
    reach: () => undefined,
    random: createRandom(1, 0),
    pause: () => clock.advance(1_000n),
    sleep,
    breaksOff: () => false,
    ownReading: { last: undefined },
  })
  const commit = (
    rows: readonly { key: number; position: ModelPosition; content: string | null }[],
  ): void => {
    const transaction = database.begin(1, 0n)
    database.touch(transaction)
    for (const { key, position, content } of rows) database.write(transaction, key, position, content)
    database.commit(transaction)
    replay()
  }
  return {
    source,
    table: { schema: 'public', name: 'orders' },
    declared: { column: 'at', stampedBy: 'database' },
    async put(rows) {
      commit(rows.map(({ id, at, payload }) => ({ key: id, position: at, content: payload })))
    },
    async remove(ids) {
      const transaction = database.begin(1, 0n)
      for (const id of ids) database.remove(transaction, id)
      database.commit(transaction)
      replay()
    },
    async openWriter(id) {
      const transaction = database.begin(2, 0n)
      database.touch(transaction)
      const position = transaction.startUs - (transaction.startUs % GRAIN_US)
      database.write(transaction, id, position, 'written')
      return {
        async commit() {
          database.commit(transaction)
          replay()
        },
        rollback: async () => database.rollback(transaction),
      }
    },
    putInLane: {
      infinity: async (id) => commit([{ key: id, position: 'infinity', content: 'no end' }]),
    },
    pause: sleep,
    close: async () => undefined,
  }
}
