import { createHash, randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { openCatalog } from '../../src/catalog/sqlite/index.ts'
import type { Destination, DestinationConnector } from '../../src/destinations/destination.ts'
import { DEFAULT_FENCE, DEFAULT_LIMITS, type Engine, type StreamSettings } from '../../src/extract/index.ts'
import type { ReachFailpoint } from '../../src/kernel/failpoint.ts'
import type { FencePolicy, Source, SourceConnector } from '../../src/sources/source.ts'

/** Where a test's engine reads, lands and remembers. */
export interface EngineAt {
  readonly sourceUrl: string
  readonly replicaUrl?: string
  readonly destinationUrl: string
  readonly stateDir: string
  readonly reach?: ReachFailpoint
}

export interface OpenEngine {
  readonly engine: Engine
  readonly source: Source
  readonly destination: Destination
  close(): Promise<void>
}

/** The real engine on real servers, wired as the command line wires it. */
export async function openEngine(at: EngineAt): Promise<OpenEngine> {
  const reach: ReachFailpoint = at.reach ?? (() => undefined)
  const catalog = await openCatalog(at.stateDir)
  const memory = {
    load: (name: string) => catalog.memory('source', name),
    save: (name: string, json: string) => catalog.remember('source', name, json),
  }
  const context = { reach, memory, note: () => undefined }
  const sources = await connector<SourceConnector>('sources', at.sourceUrl)
  const destinations = await connector<DestinationConnector>('destinations', at.destinationUrl)
  const source = await sources.open({
    url: at.sourceUrl,
    context,
    ...(at.replicaUrl ? { replicaUrl: at.replicaUrl } : {}),
  })
  const destination = await destinations.open({ url: at.destinationUrl, context })
  const engine: Engine = {
    source,
    destination,
    catalog,
    clock: {
      nowMs: () => performance.now(),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    reach,
    emit: () => undefined,
    holder: { name: `test-${randomUUID()}`, host: hostname(), pid: process.pid },
    newRunId: () => randomUUID(),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    programVersion: 'test',
    configHash: 'test',
  }
  const close = async () => {
    await source.close()
    await destination.close()
    await catalog.close()
  }
  return { engine, source, destination, close }
}

async function connector<T>(room: 'sources' | 'destinations', url: string): Promise<T> {
  const scheme = url.slice(0, url.indexOf(':'))
  const folder = scheme.startsWith('postgres') ? 'postgres' : scheme
  const module = (await import(`../../src/${room}/${folder}/index.ts`)) as { connector: T }
  return module.connector
}

/** Settings of one stream, named after its table, with the defaults of the spec. */
export function streamSettings(
  table: string,
  parts: Partial<Omit<StreamSettings, 'fence'>> & { readonly fence?: Partial<FencePolicy> } = {},
): StreamSettings {
  const [schema, name] = table.split('.') as [string, string]
  const { fence, ...rest } = parts
  return {
    stream: table,
    catalogKey: `test/${table}`,
    table: { schema, name },
    target: { schema, name },
    mode: 'upsert',
    key: undefined,
    position: undefined,
    nullKeys: 'refuse',
    appendOnly: false,
    asText: [],
    overlap: undefined,
    peek: undefined,
    limits: DEFAULT_LIMITS,
    deletes: 'report',
    autoRepair: [],
    onDestinationWentBack: 'stop',
    onTimelineChange: 'stop',
    ...rest,
    fence: { ...DEFAULT_FENCE, ...fence },
  }
}
