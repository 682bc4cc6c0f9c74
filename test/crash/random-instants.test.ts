import { describe, expect, test } from 'vitest'
import { seededRandom, suiteSeed } from '../support/random.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { afterGuard, type Combination, change, complaints, openStage } from './stage.ts'

const seed = suiteSeed()
const KILLS = process.env.PLIMSOLL_SUITE === 'long' ? 400 : 200
const server = postgresServers()[0]!

const COMBINATIONS: readonly Combination[] = [
  { destination: 'duckdb', mode: 'upsert' },
  { destination: 'postgres', mode: 'upsert' },
  { destination: 'duckdb', mode: 'history' },
  { destination: 'postgres', mode: 'history' },
]

/** Every so many kills everything begins anew, so that first loads die as well as increments. */
const KILLS_PER_STAGE = 10

describe(`killed at random instants, seed ${seed}`, () => {
  test.each(COMBINATIONS)('$destination, $mode', { timeout: 900_000 }, async (combination) => {
    const random = seededRandom(seed)
    const killsWanted = KILLS / COMBINATIONS.length
    let killed = 0
    for (let round = 0; killed < killsWanted; round++) {
      const stage = await openStage(
        await freshDatabase(server, 'random source'),
        await freshDatabase(server, 'random copy'),
        combination,
      )
      try {
        let spanMs = 900
        for (let kill = 0; kill < KILLS_PER_STAGE && killed < killsWanted; kill++) {
          const label = `${combination.destination} ${combination.mode}, round ${round}, kill ${kill}, seed ${seed}`
          const died = await stage.copy({ killAfterMs: 150 + random.below(spanMs) })
          if (died.signal !== 'SIGKILL') {
            expect(died.code, `${label}: ${died.errors}`).toBe(0)
            spanMs = Math.max(300, spanMs - 100)
          } else killed++
          if (random.chance(0.5)) continue
          const again = await stage.copy()
          expect(again.code, `${label}: ${again.errors}`).toBe(0)
          await change(stage, round * KILLS_PER_STAGE + kill)
          await afterGuard()
        }
        expect((await stage.copy()).code).toBe(0)
        expect(await complaints(stage), `round ${round}, seed ${seed}`).toEqual([])
      } finally {
        await stage.dispose()
      }
    }
    expect(killed).toBeGreaterThanOrEqual(killsWanted)
  })
})
