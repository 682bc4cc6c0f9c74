import { rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { readFacts, writeFacts } from '../../src/extract/facts.ts'
import { caseTest, clockUs, pause, Scene, STAMPED } from '../cases/scene.ts'

const alarms = async (scene: Scene) =>
  new Map((await scene.engine.catalog.alarms(true)).map(({ name, text }) => [name, text]))

caseTest(
  'E37 who was there before the first look of P2 is alarmed by how long it has been seen',
  async (way) => {
    const scene = await Scene.open(way, STAMPED, {
      settings: { fence: { method: 'P2', fenceWaitMs: 60 }, few: { holdAlarmMs: 400 } },
    })
    const writer = await scene.session()
    await writer.query(`begin; insert into t values (1, 'a')`)
    expect(await scene.runWell()).toMatchObject({ outcome: 'held' })
    expect((await alarms(scene)).has('fence_held')).toBe(false)
    await scene.restart()
    await pause(600)
    expect(await scene.runWell()).toMatchObject({ outcome: 'held' })
    expect((await alarms(scene)).get('fence_held')).toMatch(/a transaction open for \d+ s .*pid \d+.*writer/)
    await writer.query('commit')
    await scene.runOut()
    expect((await alarms(scene)).has('fence_held')).toBe(false)
  },
)

caseTest('E23 with a lost catalog the clock is compared with the claim’s', async (way) => {
  const scene = await Scene.open(way, `${STAMPED} insert into t values (1, 'a')`)
  await scene.runOut()
  const claim = (await scene.claim())!
  const ahead = BigInt(await clockUs(scene.at.sourceUrl)) + 60_000_000n
  const facts = writeFacts({ ...readFacts(claim.facts), t0: String(ahead) })
  await scene.destination.writeClaim({ ...claim, facts }, claim)
  await scene.close()
  await rm(scene.at.stateDir, { recursive: true, force: true })
  await scene.restart()
  await scene.sql(`insert into t values (2, 'b')`)
  const held = await scene.runWell()
  expect(held).toMatchObject({ outcome: 'held', heldBecause: expect.stringContaining('stepped back') })
  expect((await alarms(scene)).get('clock_stepped_back')).toMatch(/stepped back by (59|60)\d{6} µs/)
  await pause(60)
  const next = await scene.runWell()
  expect(next.outcome).toBe('advanced')
  expect(BigInt(next.overlap!.amount)).toBeGreaterThan(50_000_000n)
  await scene.runOut()
})
