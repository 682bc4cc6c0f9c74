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
  expect(failpointsFrom({})('land.merged')).toBeUndefined()
})
