import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { freshSqliteFile } from '../../../../test/support/sqlite-files.ts'
import { openSqliteTable } from '../../../../test/support/sqlite-source.ts'
import { makeComparisonPlan } from '../../../kernel/fingerprint/make-plan.ts'
import type { Look } from '../../look.ts'

const ALL = { rows: 'all' } as const
const LIMITS = { queryMaxMs: 60_000, lockTimeoutMs: 1_000, replicaWaitMs: 1_000 }
const AT = `at text not null default '2026-01-01 00:00:00'`

interface Asked {
  readonly key?: readonly string[]
  readonly asText?: readonly string[]
}

/** Opens a look of table `t`, made by these statements. */
async function withLook(schema: string, { key, asText = [] }: Asked, work: (look: Look) => Promise<void>) {
  const { url, db } = freshSqliteFile(schema)
  const { source, shape, order, close } = await openSqliteTable(url, 't', { column: 'at', encoding: 'iso' })
  const plan = makeComparisonPlan({
    shape,
    key: key ?? shape.keys[0]?.columns ?? [],
    order,
    asText,
    destinationEngine: 'duckdb',
    digestHex: (text) => createHash('sha256').update(text).digest('hex'),
  })
  const look = await source.openLook({ shape, plan, order, asText, after: undefined, ...LIMITS })
  try {
    await work(look)
  } finally {
    await look.close()
    await close()
    db.close()
  }
}

async function keysIn(look: Look): Promise<string[]> {
  const keys: string[] = []
  for await (const batch of look.rows(ALL, 'row')) keys.push(...batch.map(({ keyText }) => keyText))
  return keys
}

describe('looks of SQLite', () => {
  test('a value of another class than its column equals nothing, and each tells its class (F18)', () =>
    withLook(
      `create table t (id integer primary key, v, ${AT});
       insert into t (id, v) values (1, 5), (2, '5'), (3, 5.0), (4, x'35'), (5, null)`,
      {},
      async (look) => {
        const found = await look.find(['1', '2', '3', '4', '5'], 'row')
        const texts = found.map(({ texts }) => texts[1])
        expect(texts).toEqual(['5', 'ztext:35', 'zreal:352e30', 'zblob:35', 'N'])
      },
    ))

  test('keys of every class are found where the column is taken as text', () =>
    withLook(
      `create table t (k blob not null primary key, ${AT}) without rowid;
       insert into t (k) values (5), ('a'), (5.5), (x'00ff')`,
      { asText: ['k'] },
      async (look) => {
        const keys = await keysIn(look)
        expect([...keys].sort()).toEqual(['v1:5', 'v1:a', 'v3:5.5', 'v6:\\x00ff'])
        expect((await look.find(keys, 'row')).map(({ keyText }) => keyText).sort()).toEqual([...keys].sort())
        expect(await look.find(['v1:b'], 'row')).toEqual([])
      },
    ))

  test('a key that one comparison would call another is itself only', () =>
    withLook(
      `create table t (k text collate nocase, ${AT}); insert into t (k) values ('a'), ('A'), ('b'), ('b'), (null), (null), (5), (5.0)`,
      { key: ['k'] },
      async (look) => {
        expect((await look.find(['v1:a'], 'row')).map(({ keyText }) => keyText)).toEqual(['v1:a'])
        expect(await look.find(['v1:b'], 'row')).toHaveLength(2)
        expect(await look.find(['N'], 'row')).toHaveLength(2)
      },
    ))

  test('the program stays alive while rows are sorted, all of them or those of some buckets', () =>
    withLook(
      `create table t (id integer primary key, ${AT});
       insert into t (id) with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select i from n`,
      {},
      async (look) => {
        const buckets = new Set(['0'])
        for (const pick of [undefined, { digits: 1, buckets }]) {
          let turns = 0
          let isOver = false
          const turn = (): void => {
            turns++
            if (!isOver) setImmediate(turn)
          }
          setImmediate(turn)
          for await (const batch of look.rows(ALL, 'row', pick)) {
            expect(batch.length).toBeGreaterThan(0)
            break
          }
          isOver = true
          expect(turns).toBeGreaterThan(10)
        }
      },
    ))
})
