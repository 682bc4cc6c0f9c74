import type { Destination, DestinationConnector } from '../destinations/destination.ts'
import type { ReachFailpoint } from '../kernel/failpoint.ts'
import type { ColumnShape, ConnectorContext, TableRef } from '../sources/source.ts'
import type { TestRow } from './destination-rows.ts'

/** One store that a test has for itself: a database file, a schema, a folder. Empty at first. */
export interface TestStore {
  readonly url: string
  /** Where the suite's tables go. */
  readonly schema: string
  /**
   * All rows of a table, in any order, each value as the wire would carry it (`plain_csv` in WireFormat; for floats any
   * text that JavaScript's Number, or `inf`, `nan`, understands). Works while the destination is open.
   */
  readRows(table: TableRef, columns: readonly ColumnShape[]): Promise<TestRow[]>
  /** Runs SQL beside the destination, as a user would. Tests that need it are left out when it is absent. */
  execute?(sql: string): Promise<void>
  remove(): Promise<void>
}

/** What a connector's author hands to the suite. */
export interface DestinationSetup {
  readonly connector: DestinationConnector
  createStore(testName: string): Promise<TestStore>
  /**
   * Values the destination refuses by name instead of holding them, each as `type value`, e.g.
   * `timestamptz 294276-12-31 23:59:59.999999`. Everything else must read back equal.
   */
  readonly refused?: readonly string[]
  /** Types for which `prepare` throws TYPE_NOT_SUPPORTED. */
  readonly unsupported?: readonly string[]
}

/** A store with the destinations opened on it in one test; `close` ends all. */
export interface Scene {
  readonly store: TestStore
  open(reach?: ReachFailpoint): Promise<Destination>
  close(): Promise<void>
}

/** Opens a scene, runs the test in it, and always closes it. */
export async function inScene(
  setup: DestinationSetup,
  testName: string,
  run: (scene: Scene) => Promise<void>,
): Promise<void> {
  const scene = await createScene(setup, testName)
  try {
    await run(scene)
  } finally {
    await scene.close()
  }
}

async function createScene(setup: DestinationSetup, testName: string): Promise<Scene> {
  const store = await setup.createStore(testName)
  const opened: Destination[] = []
  const open = async (reach: ReachFailpoint = () => {}): Promise<Destination> => {
    const destination = await setup.connector.open({ url: store.url, context: testContext(reach) })
    opened.push(destination)
    return destination
  }
  const close = async () => {
    for (const destination of opened) await destination.close().catch(() => {})
    await store.remove()
  }
  return { store, open, close }
}

/** A connector's context for tests: memory in a Map, notes dropped. */
export function testContext(reach: ReachFailpoint): ConnectorContext {
  const memory = new Map<string, string>()
  const load = async (name: string) => memory.get(name)
  const save = async (name: string, json: string) => void memory.set(name, json)
  return { reach, memory: { load, save }, note: () => {} }
}
