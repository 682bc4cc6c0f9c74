import { createHash } from 'node:crypto'
import {
  DEFAULT_FENCE,
  DEFAULT_LIMITS,
  type Engine,
  type Mistake,
  type StreamSettings,
} from '../../extract/index.ts'
import type { Checker } from './checker.ts'
import { controlled, type Life } from './life.ts'
import { createMemoryCatalog } from './memory-catalog.ts'
import { createModelDestination } from './model-destination.ts'
import type { OwnReading } from './model-fence.ts'
import { createModelSource } from './model-source.ts'
import type { Schedule } from './schedule.ts'
import type { World } from './world.ts'

const STREAM = 'public.orders'
const SAMPLER_SCOPE = 'source/model'
export const CATALOG_KEY = 'simulation/public.orders'

export interface ModelProcess {
  readonly pid: number
  readonly isDead: (pid: number) => boolean
  readonly ownReading: OwnReading
}

/** The real engine of one process, with connectors whose every call is an instant of its life. */
export function createModelEngine(
  world: World,
  checker: Checker,
  life: Life,
  process: ModelProcess,
  mistake: Mistake | undefined,
): Engine {
  const { schedule, clock } = world
  const reach = (name: string): Promise<void> => life.instant(name)
  const host = schedule.manyHosts ? `host-${process.pid}` : 'host'
  const catalog = controlled(
    createMemoryCatalog({ store: world.catalog, nowUs: clock.trueUs, host, ...process }),
    'catalog',
    life,
  )
  const sleep = async (ms: number): Promise<void> => {
    world.sleep(ms)
    await life.instant('clock.sleep')
  }
  const source = createModelSource({
    method: schedule.method,
    database: world.database,
    standbys: world.standbys,
    clock,
    grainUs: schedule.grainUs,
    memory: {
      load: (name) => catalog.memory(SAMPLER_SCOPE, name),
      save: (name, json) => catalog.remember(SAMPLER_SCOPE, name, json),
    },
    reach,
    random: world.random,
    pause: world.pause,
    breaksOff: life.breaksOff,
    sleep,
    ownReading: process.ownReading,
    prepareIgnored: mistake === 'prepared_ignored',
  })
  const destination = createModelDestination({
    store: world.destination,
    reach,
    onClaim: checker.claimed,
    onLanded: checker.landed,
  })
  let runCount = 0
  return {
    source: controlled(source, 'source', life),
    destination: controlled(destination, 'destination', life),
    catalog,
    clock: { nowMs: () => Number(clock.trueUs() / 1000n), sleep },
    reach,
    emit: (event) => world.note(event.kind),
    holder: { name: `${host}/${process.pid}`, host, pid: process.pid },
    newRunId: () => `run-${process.pid}-${++runCount}`,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    programVersion: 'simulation',
    configHash: String(schedule.seed),
    ...(mistake && { mistake }),
  }
}

/** Small slices, short waits, and the schedule's own choices. */
export function streamSettings(schedule: Schedule): StreamSettings {
  const table = { schema: 'public', name: 'orders' }
  return {
    stream: STREAM,
    catalogKey: CATALOG_KEY,
    table,
    target: table,
    mode: schedule.mode,
    key: undefined,
    position: undefined,
    nullKeys: 'refuse',
    appendOnly: false,
    asText: [],
    overlap: schedule.overlap === 'none' ? { kind: 'fixed', amount: 0n } : undefined,
    peek: schedule.peek,
    fence: {
      ...DEFAULT_FENCE,
      guardMs: schedule.guardMs,
      fenceSampleMs: 200,
      fenceFreshMs: 500,
      fenceWaitMs: 1_500,
      holdMaxMs: schedule.holdMaxMs,
    },
    limits: {
      ...DEFAULT_LIMITS,
      sliceRows: schedule.sliceRows,
      laneMaxRows: schedule.laneMaxRows,
      replicaWaitMs: 3_000,
      retries: 2,
      retryDelayMs: 100,
    },
    onDestinationWentBack: 'stop',
    deletes: 'report',
    autoRepair: [],
    onTimelineChange: 'stop',
  }
}
