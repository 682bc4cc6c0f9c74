import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { refuseBlocked } from '../assure/doctor/stopping-blockers.ts'
import { startLateness } from '../assure/lateness/start.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { redactUrl } from '../config/connection-url.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import type { Destination } from '../destinations/destination.ts'
import type { Engine, ExtractEvent, StreamSettings } from '../extract/index.ts'
import { formatTimestampUs } from '../kernel/calendar.ts'
import type { ConnectorContext, ConnectorMemory, Source } from '../sources/source.ts'
import { loadConnector, withDriver } from './pipeline/connectors.ts'
import { doctorScope } from './pipeline/doctor-scope.ts'
import { failpointsFrom } from './pipeline/failpoints.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { toJson } from './render/error.ts'

export interface EngineOptions {
  readonly emit?: (event: ExtractEvent) => void
  /** A connector's words for people. */
  readonly note?: (text: string) => void
  readonly signal?: AbortSignal
  /** Nothing is to be changed: what connectors would remember stays in this process. */
  readonly lookOnly?: boolean
}

/** An engine with everything it works on, and the streams of its pipeline. Always close it. */
export interface OpenPipeline {
  readonly engine: Engine
  readonly streams: readonly StreamSettings[]
  close(): Promise<void>
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Opens the source and the destination of a pipeline and makes an engine of them. The catalog stays its owner's. */
export async function openPipeline(
  config: PipelineConfig,
  catalog: Catalog,
  options: EngineOptions = {},
): Promise<OpenPipeline> {
  const reach = failpointsFrom(process.env)
  const context = (url: string): ConnectorContext => ({
    reach,
    memory: connectorMemory(catalog, url, options.lookOnly ?? false),
    note: options.note ?? (() => {}),
  })
  const source = await openSource(config, context)
  let destination: Destination
  try {
    destination = await openDestination(config, context)
  } catch (error) {
    await source.close()
    throw error
  }
  const streams = config.tables.map((table) => toStreamSettings(config, table))
  const time = clock(options.signal)
  const lateness = startLateness(
    { catalog, source, clock: time },
    { samplerMs: samplerMsOf(streams), keeps: !options.lookOnly },
  )
  const engine: Engine = {
    source,
    destination,
    catalog,
    clock: time,
    lateness: lateness.watch,
    mayRun: (settings) => refuseBlocked(catalog, doctorScope(config.source.url), settings),
    reach,
    emit: options.emit ?? (() => {}),
    holder: {
      name: `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`,
      host: hostname(),
      pid: process.pid,
    },
    newRunId,
    digest: sha256,
    programVersion: programVersion(),
    configHash: configHash(config),
    rehearsal: config.source.rehearsal,
    ...(options.signal ? { signal: options.signal } : {}),
  }
  return {
    engine,
    streams,
    close: async () => {
      await lateness.stop()
      await Promise.all([source.close(), destination.close()])
    },
  }
}

/** Streams of one source share its sampler: the most impatient of them decides. */
const samplerMsOf = (streams: readonly StreamSettings[]): number =>
  streams.reduce((least, { limits }) => Math.min(least, limits.samplerMs), SAMPLER_LONGEST_MS)

const SAMPLER_LONGEST_MS = 3_600_000

type MakeContext = (url: string) => ConnectorContext

export async function openSource(config: PipelineConfig, context: MakeContext): Promise<Source> {
  const { url, replicaUrl } = config.source
  const connector = await loadConnector('sources', url)
  const replica = replicaUrl === undefined ? {} : { replicaUrl }
  return withDriver(() => connector.open({ url, ...replica, context: context(url) }))
}

export async function openDestination(config: PipelineConfig, context: MakeContext): Promise<Destination> {
  const { url, memoryLimitBytes } = config.destination
  const connector = await loadConnector('destinations', url)
  const memory = memoryLimitBytes === undefined ? {} : { memoryLimitBytes }
  return withDriver(() => connector.open({ url, ...memory, context: context(url) }))
}

/** What a connector remembers lies in the catalog under its URL, so that pipelines with one source share its samples. */
function connectorMemory(catalog: Catalog, url: string, lookOnly: boolean): ConnectorMemory {
  const scope = `connector/${sha256(redactUrl(url)).slice(0, 16)}`
  const kept = new Map<string, string>()
  return {
    load: async (name) => kept.get(name) ?? catalog.memory(scope, name),
    save: async (name, json) => {
      if (lookOnly) kept.set(name, json)
      else await catalog.remember(scope, name, json)
    },
  }
}

/** Time for waits and durations; a sleep ends when the signal comes. */
export function clock(signal: AbortSignal | undefined): Engine['clock'] {
  return {
    nowMs: () => performance.timeOrigin + performance.now(),
    sleep: async (ms) => {
      if (signal?.aborted) return
      await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
        if (!signal?.aborted) throw error
      })
    },
  }
}

/** `20261130-231401123-1f3a9c`: sorts by time, unique over processes. */
export function newRunId(): string {
  const digits = formatTimestampUs(BigInt(Date.now()) * 1000n).replaceAll(/\D/g, '')
  return `${digits.slice(0, 8)}-${digits.slice(8, 17)}-${randomBytes(3).toString('hex')}`
}

export function programVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

/** Of the configuration without its passwords (spec E72). */
function configHash(config: PipelineConfig): string {
  const { source, destination, tables, name } = config
  const replica = source.replicaUrl === undefined ? null : redactUrl(source.replicaUrl)
  return sha256(
    toJson({ name, source: redactUrl(source.url), replica, destination: redactUrl(destination.url), tables }),
  )
}
