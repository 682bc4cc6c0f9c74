import { expect, test } from 'vitest'
import type { Finding } from '../../kernel/finding.ts'
import { alertsOf } from './alert.ts'
import { type Story, sentence } from './sentence.ts'

test.each<[Story, number, string]>([
  ['extract_wrong', 3, 'THE EXTRACT IS WRONG: it passed 3 rows and will not come back for them.'],
  ['extract_wrong', 1, 'THE EXTRACT IS WRONG: it passed 1 row and will not come back for it.'],
  ['we_chose', 2, 'WE CHOSE THIS: going on without pid 7 left 2 rows behind.'],
  ['backdated', 3, 'THE EXTRACT IS RIGHT: somebody wrote 3 rows with an old date after we had passed it.'],
  ['destination_loss', 2, 'THE EXTRACT IS RIGHT: 2 rows were landed and have vanished from the destination.'],
  ['unorderable', 2, '2 rows cannot be ordered; they are not landed.'],
  ['unbumped', 2, '2 rows changed without a new updated_at: no reader by position could see it.'],
  ['extra', 2, '2 rows were deleted at the source; the destination still shows them.'],
])('%s of %i', (story, count, text) => {
  expect(sentence(story, { count, positionColumn: 'updated_at', chosen: 'pid 7', landedApart: false })).toBe(
    text,
  )
})

const finding: Finding = {
  id: 'a-1.1',
  checkId: 'a-1',
  stream: 'shop/public.orders',
  generation: 1,
  keyText: '88213',
  key: ['88213'],
  verdict: 'LOST',
  mechanism: 'backdated',
  grade: 'shown',
  state: 'confirmed',
  sourcePosition: '1756684800000000',
  destinationPosition: null,
  columns: [],
  evidence: {
    committed_at: '2026-03-02 14:02:11Z',
    dated: '2025-09-01 00:00:00Z',
    passed_at: '2025-09-01 00:05:02Z',
    passed_by: '7f3a',
    second_look: '2026-03-03 03:10:44Z',
  },
  foundUs: '1',
  changedUs: '1',
  closedBy: null,
}

test('an alert says who is wrong, why, which rows, since when, and the command that repairs it (A21)', () => {
  const context = {
    stream: 'public.orders',
    positionColumn: 'updated_at',
    watermark: '2026-03-03 03:05:00Z',
    checkId: 'a-1',
  }
  const [alert, ...others] = alertsOf([finding, { ...finding, key: ['88214'] }], context)
  expect(others).toEqual([])
  expect([alert?.sentence, ...(alert?.lines ?? []).map(({ name, text }) => `${name}: ${text}`)]).toEqual([
    'THE EXTRACT IS RIGHT: somebody wrote 2 rows with an old date after we had passed it.',
    'why: backdated (shown): committed 2026-03-02 14:02:11Z, dated 2025-09-01 00:00:00Z, passed 2025-09-01 00:05:02Z',
    'which: key 88213; 88214   findings a-1',
    'since: passed 2025-09-01 00:05:02Z by run 7f3a; found 2026-03-03 03:10:44Z',
    'claim: public.orders stays at 2026-03-03 03:05:00Z, marked "2 missing"; complete --through later than 2025-09-01 00:00:00Z answers no',
    'repair: plimsoll repair public.orders --findings a-1   dry run; add --apply',
    'runbook: rows_backdated',
  ])
})

test('of a row that is gone it says when it was looked for, and what the repair would do with it', () => {
  const context = { stream: 's', positionColumn: 'p', watermark: 'w', checkId: 'r-1' }
  const extra: Finding = {
    ...finding,
    verdict: 'EXTRA',
    mechanism: 'unknown',
    grade: 'none',
    evidence: { first_look: '2026-03-03 03:00:00Z', second_look: '2026-03-03 03:10:00Z' },
  }
  const lines = alertsOf([extra], context)[0]?.lines.map(({ name, text }) => `${name}: ${text}`)
  expect(lines).toContain(
    'why: absent from the source at 2026-03-03 03:00:00Z and again at 2026-03-03 03:10:00Z',
  )
  expect(lines).toContain('claim: s stays at w')
  expect(lines).toContain('repair: plimsoll repair s --findings r-1 --deletes mark   dry run; add --apply')
})

test('one alert a mechanism: causes are never mixed (load-forecast L37)', () => {
  const context = { stream: 's', positionColumn: 'p', watermark: 'w', checkId: 'a-1' }
  const alerts = alertsOf(
    [finding, { ...finding, mechanism: 'tie' }, { ...finding, verdict: 'UNBUMPED', mechanism: 'unknown' }],
    context,
  )
  expect(alerts.map(({ alarm }) => alarm)).toEqual(['rows_backdated', 'rows_lost', 'rows_unbumped'])
})
