import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { TargetTable } from '../../src/destinations/destination.ts'
import { useDatabase } from '../../src/destinations/duckdb/database.ts'
import type { Look } from '../../src/sources/look.ts'
import type { Source, TableRef, TableShape } from '../../src/sources/source.ts'
import { openEngine } from '../support/engine.ts'
import { openSession, orderIn } from '../support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { tempFolder } from '../types/stage.ts'
import {
  duckdbMillion,
  MILLION,
  MILLION_PLAN,
  MILLION_POSITION_SUM,
  MILLION_ROW_SUM,
  postgresMillion,
  sqliteMillion,
} from './million-rows.ts'

const LIMITS = { queryMaxMs: 60_000, lockTimeoutMs: 5_000 }

/** Both sums of the rules, and the same in parts: by position, by bucket (F3). */
async function expectMillion(look: Look): Promise<void> {
  const [all, ordered] = [{ rows: 'all' } as const, { rows: 'ordered' } as const]
  expect(total(await look.sums(all, 'row', 1))).toEqual([BigInt(MILLION), MILLION_ROW_SUM])
  const byBucket = await look.sums(ordered, 'position', 4)
  expect(byBucket.size).toBe(65_536)
  expect(total(byBucket)).toEqual([BigInt(MILLION), MILLION_POSITION_SUM])
}

function total(sums: Awaited<ReturnType<Look['sums']>>): [bigint, bigint] {
  let [rows, words] = [0n, 0n]
  for (const { rowCount, wordSum } of sums.values()) {
    rows += rowCount
    words += wordSum
  }
  return [rows, words]
}

describe('a million rows have the sums of the rules (F34)', () => {
  test('PostgreSQL', async () => {
    const server = postgresServers().at(-1)!
    const url = await freshDatabase(server, 'million')
    const session = await openSession(url)
    await session(postgresMillion('million'))
    const folder = await tempFolder()
    const { source, close } = await openEngine({
      sourceUrl: url,
      destinationUrl: url,
      stateDir: folder,
    })
    try {
      const ref = { schema: 'public', name: 'million' }
      const shape = await source.describe(ref, { column: 'updated_at' })
      const look = await lookAt(source, shape)
      await expectMillion(look)
      await look.close()
    } finally {
      await close()
    }
  })

  test('SQLite, and DuckDB', async () => {
    const folder = await tempFolder()
    const [file, copy] = [join(folder, 'source.db'), join(folder, 'copy.duckdb')]
    sqliteMillion(file)
    const database = await useDatabase(copy, 128 * 1024 * 1024)
    await database.writer.run(duckdbMillion('million'))
    const at = {
      sourceUrl: `sqlite://${file}`,
      destinationUrl: `duckdb://${copy}`,
      stateDir: join(folder, 'state'),
    }
    const { source, destination, close } = await openEngine(at)
    try {
      const ref = { schema: 'main', name: 'million' }
      const shape = await source.describe(ref, { column: 'updated_at', encoding: 'iso' })
      const table = {
        ...targetOf(shape, ref),
        order: { ...orderIn(shape, 'updated_at'), kind: 'timestamptz' as const },
      }
      const { look } = await destination.openLook({ table, plan: MILLION_PLAN, ...LIMITS })
      await expectMillion(look)
      await look.close()
      const here = await lookAt(source, shape)
      expect(total(await here.sums({ rows: 'all' }, 'row', 1))).toEqual([BigInt(MILLION), MILLION_ROW_SUM])
      await here.close()
    } finally {
      await close()
      await database.release()
    }
  })
})

const lookAt = (source: Source, shape: TableShape): Promise<Look> =>
  source.openLook({
    shape,
    plan: MILLION_PLAN,
    order: orderIn(shape, 'updated_at'),
    asText: [],
    after: undefined,
    replicaWaitMs: 1_000,
    ...LIMITS,
  })

const targetOf = (shape: TableShape, target: TableRef): TargetTable => ({
  stream: 'million',
  target,
  columns: shape.columns,
  key: ['id'],
  order: orderIn(shape, 'updated_at'),
  mode: 'upsert',
  nullKeys: 'refuse',
  appendOnly: false,
  asText: [],
})
