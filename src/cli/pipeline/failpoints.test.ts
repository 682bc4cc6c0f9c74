import { expect, test } from 'vitest'
import { failpointsFrom } from './failpoints.ts'

test('a failpoint throws at its count, once', () => {
  const reach = failpointsFrom({ PLIMSOLL_FAILPOINT_THROW: 'land.merged:2' })
  reach('land.merged')
  reach('land.staged')
  expect(() => reach('land.merged')).toThrow('the failpoint land.merged was told to fail')
  reach('land.merged')
})

test('an unknown one is refused before anything runs', () => {
  expect(() => failpointsFrom({ PLIMSOLL_FAILPOINT: 'land.merge' })).toThrow('no failpoint land.merge')
  expect(() => failpointsFrom({ PLIMSOLL_FAILPOINT: 'land.merged:0' })).toThrow('no failpoint')
  expect(() => failpointsFrom({ PLIMSOLL_FAILPOINT: 'land.merged@' })).toThrow('no failpoint')
  expect(failpointsFrom({})('land.merged')).toBeUndefined()
})

test('one that waits for an age is not reached before, and fires once', () => {
  const old = Math.ceil(process.uptime()) + 1000
  const early = failpointsFrom({ PLIMSOLL_FAILPOINT_THROW: `land.merged@${old}` })
  for (let i = 0; i < 5; i++) early('land.merged')
  const due = failpointsFrom({ PLIMSOLL_FAILPOINT_THROW: 'land.merged@1' })
  while (process.uptime() < 1) {}
  expect(() => due('land.merged')).toThrow('the failpoint land.merged was told to fail')
  due('land.merged')
})
