import { expect, test } from 'vitest'
import type { Pass } from '../passes.ts'
import { attribute, type RowEvidence } from './mechanism.ts'

const HOUR = 3_600_000_000n
const SNAPSHOT = 1_000n * HOUR

const NOTHING: RowEvidence = {
  positionUs: SNAPSHOT - HOUR,
  committedUs: undefined,
  pass: { runId: 'r', snapshotUs: SNAPSHOT } as Pass,
  sharesGrain: false,
  largestLatenessUs: undefined,
  ceilingUs: HOUR,
  wasOpen: 'unknown',
  nobodyAsOld: false,
  rangeState: 'landed',
  foundEqualUs: undefined,
  wasInLane: false,
  replicaWasBehind: false,
}

test.each<[string, Partial<RowEvidence>, string, string]>([
  ['a skipped range', { rangeState: 'hole' }, 'hole', 'shown'],
  ['a decreed range', { rangeState: 'decreed' }, 'decree', 'shown'],
  [
    'equal before, and no newer commit',
    { foundEqualUs: SNAPSHOT + HOUR, committedUs: SNAPSHOT - 1n },
    'destination_loss',
    'shown',
  ],
  ['equal before, no commit times', { foundEqualUs: SNAPSHOT + HOUR }, 'unknown', 'suggested'],
  ['a lane', { wasInLane: true }, 'lane', 'shown'],
  ['its transaction was seen open', { wasOpen: 'seen' }, 'late_commit', 'shown'],
  [
    'as late as others here',
    { positionUs: SNAPSHOT - 5n, committedUs: SNAPSHOT + 5n, largestLatenessUs: 20n },
    'late_commit',
    'shown',
  ],
  [
    'late, nothing measured',
    { positionUs: SNAPSHOT - 5n, committedUs: SNAPSHOT + 5n },
    'unknown',
    'suggested',
  ],
  ['later than anything', { committedUs: SNAPSHOT + 1n }, 'backdated', 'shown'],
  [
    'nobody was open that long',
    { positionUs: SNAPSHOT - 5n, committedUs: SNAPSHOT + 5n, nobodyAsOld: true },
    'backdated',
    'shown',
  ],
  [
    'there, but not on the replica',
    { committedUs: SNAPSHOT, replicaWasBehind: true },
    'replica_lag',
    'shown',
  ],
  ['there, in a tie with the border', { committedUs: SNAPSHOT, sharesGrain: true }, 'tie', 'shown'],
  ['there and not returned', { committedUs: SNAPSHOT }, 'unknown', 'none'],
  ['nothing known', {}, 'unknown', 'none'],
])('%s', (_, evidence, mechanism, grade) => {
  expect(attribute({ ...NOTHING, ...evidence })).toMatchObject({ mechanism, grade })
})

test('without commit times nothing is shown where the table needs them (A18)', () => {
  for (const evidence of [
    { foundEqualUs: SNAPSHOT },
    { sharesGrain: true },
    { largestLatenessUs: HOUR },
    { nobodyAsOld: true },
  ])
    expect(attribute({ ...NOTHING, ...evidence }).grade).not.toBe('shown')
})
