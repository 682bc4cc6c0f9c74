// Plays schedules of the simulator: node scripts/run-ts.mjs scripts/simulate.ts FIRST_SEED COUNT
// The last line of its output is one JSON object: what was played, where processes died, and which seeds failed.
import { runSchedule } from '../src/testing/simulator/run-schedule.ts'

const MAX_FAILURES = 5

const [first = 1, count = 1_000] = process.argv.slice(2).map(Number)
const totals = { schedules: 0, runs: 0, landings: 0, steps: 0 }
const deaths: Record<string, number> = {}
const failures: { seed: number; kind: string; text: string }[] = []
for (let seed = first; seed < first + count && failures.length < MAX_FAILURES; seed++) {
  const { violation, ...report } = await runSchedule(seed)
  totals.schedules++
  totals.runs += report.runCount
  totals.landings += report.landingCount
  totals.steps += report.stepCount
  for (const name of report.deaths) deaths[name] = (deaths[name] ?? 0) + 1
  if (violation) failures.push({ seed, ...violation })
}
console.log(JSON.stringify({ ...totals, deaths, failures }))
