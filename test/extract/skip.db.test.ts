import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { backfillStream, rewindStream, skipStream } from '../../src/extract/index.ts'
import { comparePositions } from '../../src/kernel/position.ts'
import { formatPosition } from '../../src/kernel/print.ts'
import { caseTest, pause, Scene, STAMPED, type Way } from '../cases/scene.ts'

// Rows skipped by hand: an explicit hole, told until it is filled (spec E14).
const BY = { person: 'ada', reason: 'one row cannot be read' }
const NO_OVERLAP = { overlap: { kind: 'fixed', amount: 0n } } as const

/** Row 1 landed, row 2 not yet; `to` lies between row 2 and row 3. */
async function stuck(way: Way): Promise<{ scene: Scene; to: string }> {
  const scene = await Scene.open({ ...way, ...NO_OVERLAP }, `${STAMPED} insert into t values (1, 'a')`)
  await scene.runOut()
  await pause(50)
  await scene.sql(`insert into t values (2, 'stuck')`)
  await pause(50)
  const [[to]] = (await scene.sql('select clock_timestamp()::text')) as [[string]]
  await scene.sql(`insert into t values (3, 'c')`)
  await pause(50)
  return { scene, to }
}

const alarms = async (scene: Scene) => (await scene.engine.catalog.alarms(true)).map(({ name }) => name)
const states = async (scene: Scene) =>
  (await scene.engine.catalog.ranges(scene.settings.catalogKey)).map(({ kind, state }) => `${kind} ${state}`)

caseTest(
  'E14 a skipped range is a hole with an alarm, the claim assumed, until a backfill fills it',
  async (way) => {
    const { scene, to } = await stuck(way)
    const { before, after } = await skipStream(scene.engine, scene.settings, to, BY)
    expect(await scene.claim()).toMatchObject({ watermark: after, proof: 'assumed' })
    expect(comparePositions(before!, after)).toBe(-1)
    expect(await states(scene)).toContain('run hole')
    expect((await scene.records()).at(-1)).toMatchObject({ kind: 'skip', outcome: 'skipped', ...BY })
    expect(await scene.runWell()).toMatchObject({
      outcome: 'advanced',
      proof: 'assumed',
      alarms: [{ name: 'range_hole' }],
    })
    expect(await scene.landed()).toEqual([
      ['1', 'a'],
      ['3', 'c'],
    ])
    expect(await alarms(scene)).toEqual(['range_hole'])
    const range = { from: formatPosition(before), to: formatPosition(after) }
    const filled = await backfillStream(scene.engine, scene.settings, range)
    expect(filled.counts).toMatchObject({ rows_read: 1, inserted: 1 })
    await scene.expectEqual()
    expect(await alarms(scene)).toEqual([])
    expect(await states(scene)).toContain('backfill landed')
    expect(await scene.runWell()).toMatchObject({ proof: 'proven', alarms: [] })
  },
)

caseTest('E14 a lost catalog, and a rewind above it, forget no hole', async (way) => {
  const { scene, to } = await stuck(way)
  await skipStream(scene.engine, scene.settings, to, BY)
  await scene.close()
  await rm(scene.at.stateDir, { recursive: true, force: true })
  await scene.restart()
  expect(await scene.runWell()).toMatchObject({ proof: 'assumed', alarms: [{ name: 'range_hole' }] })
  expect(await states(scene)).toContain('run hole')
  await rewindStream(scene.engine, scene.settings, { kind: 'destination' }, BY)
  await pause(50)
  expect(await scene.runWell()).toMatchObject({ proof: 'assumed', alarms: [{ name: 'range_hole' }] })
  await rewindStream(scene.engine, scene.settings, { kind: 'start' }, BY)
  await pause(50)
  expect(await scene.runWell()).toMatchObject({ proof: 'proven', alarms: [] })
  await scene.expectEqual()
})

caseTest('E14 an overlap that reads the hole fills it, and nobody calls its rows late', async (way) => {
  const { scene, to } = await stuck(way)
  await skipStream(scene.engine, scene.settings, to, BY)
  const next = await scene.runWell({ overlap: { kind: 'fixed', amount: 3_600_000_000n } })
  expect(next).toMatchObject({ proof: 'proven', alarms: [] })
  await scene.expectEqual()
  expect(await alarms(scene)).toEqual([])
})

test('E14 nothing is skipped without reason, at or below the watermark, or above the fence', async () => {
  const { scene, to } = await stuck({ destination: 'duckdb', overlap: undefined })
  const claim = await scene.claim()
  const skip = (where: string, by = BY) => skipStream(scene.engine, scene.settings, where, by)
  await expect(skip(to, { ...BY, reason: ' ' })).rejects.toMatchObject({ code: 'USAGE' })
  await expect(skip('soon')).rejects.toMatchObject({ code: 'USAGE' })
  await expect(skip(formatPosition(claim!.watermark))).rejects.toMatchObject({ code: 'STATE_INVALID' })
  await expect(skip('2199-01-01')).rejects.toMatchObject({
    code: 'STATE_INVALID',
    message: expect.stringContaining('above the fence'),
  })
  expect(await scene.claim()).toMatchObject({ watermark: claim!.watermark, proof: 'proven' })
  await scene.runOut()
})
