import type { Command } from 'commander'
import { latenessReport } from '../assure/lateness/report.ts'
import { act, pipelineOptions } from './action.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { findPipelines, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStream } from './pipeline/select-streams.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { renderLateness } from './render/lateness.ts'
import { latenessToJson } from './render/lateness-json.ts'

/** `plimsoll lateness`: how late rows become visible, from what the runs have measured. The source is not asked. */
export function registerLateness(program: Command): void {
  const command = pipelineOptions(program.command('lateness <table>')).description(
    'show how late rows of a table become visible, and what each overlap would lose',
  )
  act<PipelineOptions>(command, async (terminal, options, [table = '']) => {
    const configs = await findPipelines(options, false)
    const streams = configs.flatMap((config) => config.tables.map((each) => toStreamSettings(config, each)))
    const catalog = await openCatalogToLook(configs[0]!.stateFolder)
    try {
      const report = await latenessReport(catalog, selectStream(streams, table))
      terminal.data(renderLateness(report, terminal.colour))
      return { json: latenessToJson(report) }
    } finally {
      await catalog.close()
    }
  })
}
