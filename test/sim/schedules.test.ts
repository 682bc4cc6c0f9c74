import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runSchedule } from '../../src/testing/simulator/run-schedule.ts'
import { shrinkSchedule } from '../../src/testing/simulator/shrink.ts'

const LONG = process.env.PLIMSOLL_SUITE === 'long'
const SEED = process.env.SEED
const COUNT = LONG ? 1_000_000 : 50_000
const HOURS_4_MS = 14_400_000
const MINUTES_15_MS = 900_000

/** Points of a run at which processes must have died in a short suite, so that it tests what it says. */
const DEADLY = [
  'lease.acquired',
  'run.opened',
  'fence.clock_read',
  'fence.listed',
  'fence.recorded',
  'replica.waited',
  'read.locked',
  'read.snapshot_opened',
  'land.staged',
  'land.counted',
  'land.merged',
  'land.claim_written',
  'land.commit_sent',
  'land.committed',
  'slice.receipt_stored',
  'lane.landed',
  'peek.landed',
  'decree.recorded',
  'bill.read',
  'bill.landed',
  'run.closing',
  'catalog.addRange',
  'catalog.remember',
  'catalog.closeRun',
  'catalog.releaseLease',
]

if (SEED === undefined) {
  test(`${COUNT} schedules: nothing lost, doubled or stale`, {
    timeout: LONG ? HOURS_4_MS : MINUTES_15_MS,
  }, async () => {
    const parts = availableParallelism()
    const size = Math.ceil(COUNT / parts)
    const played = await Promise.all(
      Array.from({ length: parts }, (_, i) => play(1 + i * size, Math.min(size, COUNT - i * size))),
    )
    for (const { seed, kind, text } of played.flatMap((part) => part.failures))
      await explain(seed, kind, text)
    const sum = (pick: (part: Played) => number): number =>
      played.reduce((total, part) => total + pick(part), 0)
    const died = (name: string): number => sum((part) => part.deaths[name] ?? 0)
    console.log(
      `simulated ${sum((p) => p.schedules)} schedules: ${sum((p) => p.runs)} runs, ${sum((p) => p.landings)} landings, ` +
        `${sum((p) => p.steps)} steps of writers, ${sum((p) => Object.values(p.deaths).reduce((a, b) => a + b, 0))} deaths`,
    )
    expect(played.flatMap((part) => part.failures)).toEqual([])
    expect(sum((part) => part.schedules)).toBe(COUNT)
    expect(DEADLY.filter((name) => died(name) === 0)).toEqual([])
  })
} else {
  test(`seed ${SEED} again, shrunk`, { timeout: MINUTES_15_MS }, async () => {
    const seed = Number(SEED)
    const { violation } = await runSchedule(seed)
    if (violation) await explain(seed, violation.kind, violation.text)
    else await runSchedule(seed, { trace: console.log })
    expect(violation).toBeUndefined()
  })
}

test('the same seed is the same history', async () => {
  for (const seed of [3, 20, 291, 15_931]) {
    const [one, two] = [await traceOf(seed), await traceOf(seed)]
    expect(one.length).toBeGreaterThan(20)
    expect(two).toEqual(one)
  }
})

interface Played {
  readonly schedules: number
  readonly runs: number
  readonly landings: number
  readonly steps: number
  readonly deaths: Readonly<Record<string, number>>
  readonly failures: readonly { readonly seed: number; readonly kind: string; readonly text: string }[]
}

/** Plays seeds in a process of its own, so that all processors work. */
async function play(first: number, count: number): Promise<Played> {
  const script = fileURLToPath(new URL('../../scripts/run-ts.mjs', import.meta.url))
  const args = [script, 'scripts/simulate.ts', String(first), String(count)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(code, output).toBe(0)
  return JSON.parse(output.trim().split('\n').at(-1)!) as Played
}

/** Prints the smallest history like a failing one, and how to see it again. */
async function explain(seed: number, kind: string, text: string): Promise<void> {
  console.log(`seed ${seed}: ${kind}: ${text}\nReplay: SEED=${seed} npm run test:sim`)
  const schedule = await shrinkSchedule(seed)
  const lines: string[] = []
  const { violation } = await runSchedule(seed, { change: () => schedule, trace: (line) => lines.push(line) })
  console.log(`shrunk: ${violation?.kind}: ${violation?.text}`)
  console.log(schedule)
  console.log(lines.join('\n'))
}

async function traceOf(seed: number): Promise<string[]> {
  const lines: string[] = []
  await runSchedule(seed, { trace: (line) => lines.push(line) })
  return lines
}
