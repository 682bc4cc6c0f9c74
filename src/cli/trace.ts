import type { Command } from 'commander'
import type { Catalog, StoredRecord } from '../catalog/catalog.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { act, pipelineOptions } from './action.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { findPipelines, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { recordToJson, renderTrace } from './render/record.ts'

/** `plimsoll trace`: the record of a run, readable and complete. */
export function registerTrace(program: Command): void {
  const command = pipelineOptions(program.command('trace <run>')).description(
    'show the whole record of a run: its id, the beginning of it, or a table for its latest run',
  )
  act<PipelineOptions>(command, async (terminal, options, [run = '']) => {
    const configs = await findPipelines(options, false)
    const catalog = await openCatalogToLook(configs[0]!.stateFolder)
    try {
      const settings = configs.flatMap((config) =>
        config.tables.map((each) => toStreamSettings(config, each)),
      )
      const named = settings.find((each) => [each.stream, each.target.name, each.catalogKey].includes(run))
      const [latest] = named ? await catalog.records(named.catalogKey, 1) : []
      const record = latest ?? (await findRun(catalog, run))
      terminal.data(renderTrace(record, terminal.colour))
      return { json: recordToJson(record) }
    } finally {
      await catalog.close()
    }
  })
}

const RUNS_SEARCHED = 10_000

async function findRun(catalog: Catalog, run: string): Promise<StoredRecord> {
  const exact = await catalog.record(run)
  if (exact) return exact
  const recent = await catalog.records(undefined, RUNS_SEARCHED)
  const found = recent.filter((record) => record.runId.startsWith(run))
  if (found.length === 1) return found[0]!
  const what = found.length > 1 ? `${found.length} runs begin with ${run}` : `no run ${run}`
  throw new PlimsollError('USAGE', what, { hint: 'plimsoll runs lists them.' })
}
