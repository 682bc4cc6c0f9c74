import { openCheck, openLooks } from '../src/assure/check-session.ts'
import { openPipeline } from '../src/cli/engine.ts'
import { openCatalogIn } from '../src/cli/pipeline/catalog.ts'
import { findPipeline } from '../src/cli/pipeline/find-pipeline.ts'
import { median } from './run-program.ts'

/** One scan of row words by bucket, a side alone: node scripts/run-ts.mjs bench/fingerprint-scans.ts STATE REPEATS */
const [state = '', repeats = '3'] = process.argv.slice(2)
const config = await findPipeline({ state })
const catalog = await openCatalogIn(config.stateFolder)
const open = await openPipeline(config, catalog)
const settings = open.streams[0]!
const check = await openCheck(open.engine, {
  ...settings,
  limits: { ...settings.limits, checkQueryMaxMs: 600_000 },
})
const times = { source: [] as number[], destination: [] as number[] }
for (let i = 0; i < Number(repeats); i++) {
  const looks = await openLooks(check)
  for (const side of ['source', 'destination'] as const) {
    const startedMs = performance.now()
    await looks[side].sums({ rows: 'all' }, 'row', 4)
    times[side].push(performance.now() - startedMs)
  }
  await looks.close()
}
await open.close()
await catalog.close()
console.log(JSON.stringify({ sourceMs: median(times.source), destinationMs: median(times.destination) }))
