import type { Command } from 'commander'
import { act, pipelineOptions } from './action.ts'
import { wholeNumber } from './numbers.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { findPipelines, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStream } from './pipeline/select-streams.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { recordToJson, renderRuns } from './render/record.ts'

/** `plimsoll runs`: the latest runs, newest first. Reads the catalog alone. */
export function registerRuns(program: Command): void {
  const command = pipelineOptions(program.command('runs [table]'))
    .description('list the latest runs')
    .option('--limit <n>', 'how many', wholeNumber, 20)
  act<PipelineOptions & { readonly limit: number }>(command, async (terminal, options, [table]) => {
    const configs = await findPipelines(options, false)
    const streams = configs.flatMap((config) => config.tables.map((each) => toStreamSettings(config, each)))
    const key = table === undefined ? undefined : selectStream(streams, table).catalogKey
    const catalog = await openCatalogToLook(configs[0]!.stateFolder)
    try {
      const records = await catalog.records(key, options.limit)
      terminal.data(renderRuns(records))
      return { json: { runs: records.map(recordToJson) } }
    } finally {
      await catalog.close()
    }
  })
}
