import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../config/load.ts'
import { runPipeline, type StreamResult } from '../../extract/index.ts'
import { formatPosition } from '../../kernel/print.ts'
import { leastProof } from '../../kernel/proof.ts'
import { openPipeline } from '../engine.ts'
import { openCatalogIn } from '../pipeline/catalog.ts'
import { SHOP_TABLE_NAMES } from './shop.ts'

/** The copy that Plimsoll keeps, made as `plimsoll run` would in the demo's folder. */
export interface PlimsollCopy {
  readonly file: string
  extract(): Promise<void>
  readonly rowsRead: number
  /** Extractions in which a watermark stood because a transaction was open. */
  readonly heldCount: number
  /** The least of its tables' claims; undefined before the first run. */
  readonly claim: DemoClaim | undefined
  close(): Promise<void>
}

export interface DemoClaim {
  readonly watermark: string
  readonly proof: StreamResult['proof']
  readonly reason: string
}

/** Overlap 0: the fence alone must do the work. A short wait: who meets an open transaction asks again a moment later. */
const PIPELINE = `# Written by plimsoll demo.
name: demo
source:
  url: sqlite:shop.sqlite
  busyWait: 150ms
destination:
  url: duckdb:plimsoll.duckdb
defaults:
  overlap: { fixed: 0s }
tables:
${SHOP_TABLE_NAMES.map((table) => `  ${table}: { position: { column: updated_at, stampedBy: database, grain: 1s } }`).join('\n')}
`

/** Writes a `plimsoll.yaml` beside `shop.sqlite` and opens the pipeline it describes. */
export async function openPlimsollCopy(folder: string): Promise<PlimsollCopy> {
  const configFile = join(folder, 'plimsoll.yaml')
  writeFileSync(configFile, PIPELINE)
  const config = loadConfig(configFile)
  const catalog = await openCatalogIn(config.stateFolder)
  let [rowsRead, heldCount] = [0, 0]
  let held = false
  const { engine, streams, close } = await openPipeline(config, catalog, {
    emit: (event) => {
      if (event.kind === 'fence' && event.fence.value === undefined) held = true
    },
  })
  let last: readonly StreamResult[] = []
  return {
    file: join(folder, 'plimsoll.duckdb'),
    async extract() {
      held = false
      const { results } = await runPipeline(engine, streams, 1)
      for (const result of results) {
        if (result.error) throw result.error
        rowsRead += result.counts.rows_read
      }
      last = results
      if (held) heldCount++
    },
    get rowsRead() {
      return rowsRead
    },
    get heldCount() {
      return heldCount
    },
    get claim() {
      return leastClaim(last)
    },
    async close() {
      await close()
      await catalog.close()
    },
  }
}

function leastClaim(results: readonly StreamResult[]): DemoClaim | undefined {
  const watermarks = results.map((result) => result.watermarkAfter)
  if (watermarks.length === 0 || watermarks.includes(undefined)) return undefined
  const proof = results.map((result) => result.proof).reduce(leastProof)
  const reasons = results.filter((result) => result.proof === proof).map((result) => result.proofReason)
  return { watermark: watermarks.map(formatPosition).sort()[0]!, proof, reason: reasons.find(Boolean) ?? '' }
}
