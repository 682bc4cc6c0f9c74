import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runPipeline } from '../../src/extract/index.ts'
import { openEngine } from '../support/engine.ts'
import { postgresServers } from '../support/servers.ts'
import { COMPOUNDS } from '../types/postgres-compounds.ts'
import { SCALARS } from '../types/postgres-scalars.ts'
import { createTables, streamsOver } from '../types/source-tables.ts'
import { freshSession, landed, tempFolder } from '../types/stage.ts'
import { REFUSED, type ValueCase } from '../types/value-case.ts'
import { expectEqual, lookAtBoth, readable, textsOf } from './both-sides.ts'

const servers = postgresServers()

/** Every type of PostgreSQL with its extremes, landed for real: both sides and the program make the same texts (F7, F21). */
describe.each(servers)('values of PostgreSQL $major', (server) => {
  const cases = [...SCALARS, ...COMPOUNDS].filter(({ majors }) => majors?.(server.major) ?? true)

  const compare = async (destinationUrl: string, folder: string, isRefused: (each: ValueCase) => boolean) => {
    const { url, ask } = await freshSession(server, 'fingerprint types')
    const placed = await createTables(ask, cases, isRefused)
    const { held, every } = streamsOver(placed)
    const { engine, close } = await openEngine({
      sourceUrl: url,
      destinationUrl,
      stateDir: join(folder, 'state'),
    })
    try {
      for (const result of (await runPipeline(engine, [held, every], 2)).results) landed(result)
      for (const settings of [held, every]) {
        await lookAtBoth(engine, settings, async (sides) => {
          await expectEqual(sides)
          const here = readable(sides.plan, await textsOf(sides.source, 'row'))
          expect(readable(sides.plan, await sides.clientTexts())).toEqual(here)
          expect(sides.plan.leftOut).toEqual([])
        })
      }
      await lookAtBoth(engine, held, expectEqual, 'sha256')
    } finally {
      await close()
    }
  }

  test('in DuckDB', async () => {
    const folder = await tempFolder()
    await compare(`duckdb://${join(folder, 'copy.duckdb')}`, folder, ({ duckdb }) => duckdb === REFUSED)
  })

  test.each(servers)('in PostgreSQL $major', async (to) => {
    const folder = await tempFolder()
    const { url } = await freshSession(to, 'fingerprint types target')
    const majors = { from: server.major, to: to.major }
    await compare(
      url,
      folder,
      ({ refusedBetween, misreadBetween }) => (refusedBetween?.(majors) || misreadBetween?.(majors)) ?? false,
    )
  })
})
