import { expect, test } from 'vitest'
import { openVerifier, type VerifiedStream } from '../../src/assure/verify/verify-stream.ts'
import type { StoredRecord } from '../../src/catalog/catalog.ts'
import { sealRecord } from '../../src/catalog/record-chain.ts'
import { runSchedule } from '../../src/testing/simulator/run-schedule.ts'

const SCHEDULES = process.env.PLIMSOLL_SUITE === 'long' ? 100_000 : 4_000
const FORGED = SCHEDULES / 10
const MINUTES_10_MS = 600_000

test(`A58: the records of ${SCHEDULES} histories of crashes, retries and decrees verify`, {
  timeout: MINUTES_10_MS,
}, async () => {
  const faults: unknown[] = []
  let recordCount = 0
  const seen = new Map<string, number>()
  for (let seed = 1; seed <= SCHEDULES; seed++) {
    const records = await recordsOf(seed)
    const { fault } = verify(records)
    if (fault) faults.push({ seed, ...fault })
    recordCount += records.length
    for (const { json } of records) {
      const { kind, outcome = '', adopted = [] } = JSON.parse(json)
      for (const name of [kind, outcome, adopted.length > 0 ? 'adopted' : ''])
        seen.set(name, (seen.get(name) ?? 0) + 1)
    }
  }
  expect(faults.slice(0, 5)).toEqual([])
  expect(recordCount).toBeGreaterThan(2 * SCHEDULES)
  for (const name of ['run', 'first_load', 'decree', 'bill', 'abandoned', 'held', 'adopted'])
    expect([name, (seen.get(name) ?? 0) > SCHEDULES / 100]).toEqual([name, true])
})

/** Somebody who knows the form rewrites the whole chain after it: then what the records say must give it away. */
test('A58: a run taken out of a chain that was forged anew leaves a hole', {
  timeout: MINUTES_10_MS,
}, async () => {
  let forgedCount = 0
  const unseen: unknown[] = []
  for (let seed = 1; seed <= FORGED; seed++) {
    const records = await recordsOf(seed)
    const victim = records.findIndex((record, i) => i < records.length - 1 && advanced(record))
    if (victim < 0) continue
    const forged = sealAnew(records.filter((_, i) => i !== victim))
    forgedCount++
    if (!verify(forged).fault) unseen.push({ seed, victim })
  }
  expect(forgedCount).toBeGreaterThan(FORGED / 2)
  expect(unseen).toEqual([])
})

async function recordsOf(seed: number): Promise<readonly StoredRecord[]> {
  let records: readonly StoredRecord[] = []
  const { violation } = await runSchedule(seed, {
    onRest: (all) => {
      records = [...all]
    },
  })
  expect(violation).toBeUndefined()
  return records
}

/** Page by page, as from a catalog. */
function verify(records: readonly StoredRecord[]): VerifiedStream {
  const verifier = openVerifier('s', { sinceUs: undefined, head: undefined })
  for (let i = 0; i < records.length; i += 5) verifier.take(records.slice(i, i + 5))
  return verifier.end()
}

function advanced({ json }: StoredRecord): boolean {
  const { outcome } = JSON.parse(json)
  return outcome === 'advanced' || outcome === 'empty'
}

function sealAnew(records: readonly StoredRecord[]): readonly StoredRecord[] {
  const sealed: StoredRecord[] = []
  for (const { runId, stream, json } of records) {
    const { prev, sequence, version, ...said } = JSON.parse(json)
    sealed.push(sealRecord(runId, stream, said, sealed.at(-1)))
  }
  return sealed
}
