import { beforeEach, expect, test } from 'vitest'
import { AlarmStage, FAILED } from '../../../test/support/alarm-stage.ts'
import { groupAlarms } from './group-alarms.ts'

const failing = (code: string) => ({ ...FAILED, error: { code, message: 'x' } })

let stage: AlarmStage
beforeEach(() => {
  stage = new AlarmStage()
})

test('streams of one broken source come as one page; other causes stand apart', async () => {
  for (const name of ['a', 'b', 'c']) {
    for (let i = 0; i < 3; i++)
      await stage.run(name === 'c' ? failing('KEY_NULL') : FAILED, 0n, `shop/${name}`)
    await stage.watch(name)
  }
  await stage.catalog.raiseAlarm('other/a', 'run_failing', 'x', 'SOURCE_UNAVAILABLE', 'notice')
  const groups = groupAlarms(await stage.catalog.alarms(true))
  expect(groups.map(({ level, pipeline, streams }) => [level, pipeline, streams.join(' ')])).toEqual([
    ['page', 'shop', 'a b'],
    ['page', 'shop', 'c'],
    ['notice', 'other', 'a'],
  ])
})
