import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { StreamAudit } from '../../src/assure/audit/audit-stream.ts'
import { type AuditAsked, auditStreams } from '../../src/assure/audit/audit-streams.ts'
import { type LatenessKnowledge, NOTHING_MEASURED } from '../../src/assure/audit/lateness-knowledge.ts'
import { reconcileStreams, type StreamReconcile } from '../../src/assure/reconcile/reconcile-streams.ts'
import { type RepairAnswer, type RepairAsked, repairAsked } from '../../src/assure/repair/repair-asked.ts'
import { runStream, type StreamResult, type StreamSettings } from '../../src/extract/index.ts'
import { type OpenEngine, openEngine, streamSettings } from '../support/engine.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'

/** A PostgreSQL source and a destination of either kind, with the whole engine and all that checks it. */
export interface AssureScene extends OpenEngine {
  readonly settings: StreamSettings
  readonly sourceUrl: string
  sql(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** Changes rows at the destination behind our back. */
  spoil(text: string): Promise<void>
  run(more?: Partial<StreamSettings>): Promise<StreamResult>
  audit(asked?: Partial<AuditAsked>, more?: Partial<StreamSettings>): Promise<StreamAudit>
  reconcile(deletes?: 'report' | 'remove' | 'mark', more?: Partial<StreamSettings>): Promise<StreamReconcile>
  repair(
    asked: Partial<RepairAsked> & Pick<RepairAsked, 'keys'>,
    more?: Partial<StreamSettings>,
  ): Promise<RepairAnswer>
}

export type DestinationKind = 'duckdb' | 'postgres'

export interface SceneOptions {
  /** Another server than the first one that the tests run on. */
  readonly server?: Parameters<typeof freshDatabase>[0]
  readonly measured?: LatenessKnowledge
}

/** Settings under which a second look takes no time. */
export function quick(table: string, parts: Parameters<typeof streamSettings>[1] = {}): StreamSettings {
  const base = streamSettings(table, parts)
  const limits = { ...base.limits, secondLookMs: 0, secondLookMaxMs: 1, retryDelayMs: 1, ...parts.limits }
  return { ...base, limits, fence: { ...base.fence, guardMs: 10, fenceSampleMs: 5, ...parts.fence } }
}

/** Runs `work` on fresh databases; `setUp` makes the source. */
export async function assureScene(
  name: string,
  kind: DestinationKind,
  settings: StreamSettings,
  setUp: string,
  work: (scene: AssureScene) => Promise<void>,
  { server = postgresServers()[0]!, measured = NOTHING_MEASURED }: SceneOptions = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-assure-'))
  const sourceUrl = await freshDatabase(server, `${name} ${kind} source`)
  const client = new pg.Client({ connectionString: sourceUrl })
  await client.connect()
  await client.query(setUp)
  const destinationUrl =
    kind === 'duckdb'
      ? `duckdb://${join(folder, 'out.duckdb')}`
      : await freshDatabase(server, `${name} ${kind} target`)
  const open = await openEngine({ sourceUrl, destinationUrl, stateDir: join(folder, 'state') })
  const { engine } = open
  const only = <T>(answer: { streams: readonly T[]; notLooked: readonly { reason: string }[] }): T => {
    const [stream] = answer.streams
    if (stream) return stream
    throw new Error(`not looked: ${answer.notLooked.map(({ reason }) => reason).join('; ')}`)
  }
  const knowledge = async () => measured
  try {
    await work({
      ...open,
      settings,
      sourceUrl,
      sql: (text, values) => client.query(text, values),
      spoil: (text) => spoil(kind, destinationUrl, text),
      run: (more = {}) => runStream(engine, { ...settings, ...more }),
      audit: async (asked = {}, more = {}) =>
        only(
          await auditStreams(
            engine,
            [{ ...settings, ...more }],
            { window: undefined, content: false, ...asked },
            knowledge,
            () => undefined,
          ),
        ),
      reconcile: async (deletes, more = {}) =>
        only(
          await reconcileStreams(
            engine,
            [{ ...settings, ...more }],
            { level: 4, deletes },
            knowledge,
            () => undefined,
          ),
        ),
      repair: (asked, more = {}) =>
        repairAsked(engine, { ...settings, ...more }, { apply: true, deletes: 'report', ...asked }),
    })
  } finally {
    await open.close()
    await client.end()
    await rm(folder, { recursive: true, force: true })
  }
}

/** The engine holds its own DuckDB instance of the file; in one process the file is joined, not locked. */
async function spoil(kind: DestinationKind, url: string, text: string): Promise<void> {
  if (kind === 'postgres') {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(text)
    await client.end()
    return
  }
  const { useDatabase } = await import('../../src/destinations/duckdb/database.ts')
  const database = await useDatabase(url.slice('duckdb://'.length), 128 * 1024 * 1024)
  for (const statement of text.split(';').filter((each) => each.trim() !== ''))
    await database.writer.run(statement)
  await database.release()
}
