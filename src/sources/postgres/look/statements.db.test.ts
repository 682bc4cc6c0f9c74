import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { openSession, openSource, orderIn } from '../../../../test/support/postgres-source.ts'
import { freshDatabase, postgresServers } from '../../../../test/support/servers.ts'
import { makeComparisonPlan } from '../../../kernel/fingerprint/make-plan.ts'
import type { Position } from '../../../kernel/position.ts'
import { lookStatements } from './statements.ts'

const at = (value: bigint): Position => ({ kind: 'timestamptz', value })

describe.each(postgresServers())('the queries of a look, PostgreSQL $major', (server) => {
  test('a window uses the index of the position, keys that of the key (A14)', async () => {
    const url = await freshDatabase(server, 'look statements')
    const ask = await openSession(url)
    await ask(`CREATE TABLE t (a text, b int, at timestamptz, PRIMARY KEY (a, b)); CREATE INDEX by_at ON t (at);
      INSERT INTO t SELECT g % 100, g, CASE WHEN g % 500 = 0 THEN NULL WHEN g % 501 = 0 THEN 'infinity' ELSE timestamptz '2026-01-01Z' + g * interval '1 second' END
      FROM generate_series(1, 50000) g; ANALYZE t`)
    const shape = await openSource(url).describe(
      { schema: 'public', name: 't' },
      { column: 'at', stampedBy: 'database' },
    )
    const order = orderIn(shape, 'at')
    const plan = makeComparisonPlan({
      shape,
      key: ['a', 'b'],
      order,
      asText: [],
      destinationEngine: 'duckdb',
      digestHex: (text) => createHash('sha256').update(text).digest('hex'),
    })
    const request = {
      shape,
      plan,
      order,
      asText: [],
      after: undefined,
      replicaWaitMs: 1,
      queryMaxMs: 1_000,
      lockTimeoutMs: 1_000,
    }
    const dialect = {
      digest: 'md5',
      isUtf8: true,
      versionNumber: server.major * 10_000,
      nativeTypes: new Map(),
      hasCommitTimes: false,
      hasTransactions: true,
    } as const
    const statements = lookStatements(request, dialect)
    const explain = async (sql: string): Promise<string> => (await ask(`EXPLAIN ${sql}`)).flat().join('\n')

    const [lower, upper] = [at(1_767_226_000_000_000n), at(1_767_226_100_000_000n)]
    const window = { rows: 'ordered', lower, upper } as const
    for (const word of ['row', 'position'] as const) {
      for (const sql of [
        statements.sums(window, word, 4),
        statements.rows(window, word, { digits: 2, buckets: new Set(['ab']) }),
        statements.sums({ rows: 'ordered', upper: at(1_767_225_700_000_000n) }, word, 4),
        statements.sums({ rows: 'unordered' }, word, 4),
      ])
        expect(await explain(sql)).toMatch(/(Index Scan|Bitmap Index Scan).* by_at/)
      const keys = Array.from({ length: 1_000 }, (_, i) => `v${String(i % 100).length}:${i % 100};${i}`)
      expect(await explain(statements.find(keys, word))).toMatch(/t_pkey/)
      // A key known by its hash only is looked for in the whole table, by its digest.
      const long = `w5000:${'0'.repeat(32)};1`
      expect(await explain(statements.find([...keys, long], word))).toMatch(/Seq Scan on t/)
    }
    expect(statements.find([], 'row')).toContain('WHERE false')
  })
})
