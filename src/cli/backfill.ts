import type { Command } from 'commander'
import { backfillStream } from '../extract/index.ts'
import { act, pipelineOptions } from './action.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStream } from './pipeline/select-streams.ts'
import { resultsAnswer, showResults, withPipeline } from './run-streams.ts'

interface BackfillOptions extends PipelineOptions {
  readonly from?: string
  readonly to?: string
}

/** `plimsoll backfill`: reads a range again; the watermark does not move (spec E69). */
export function registerBackfill(program: Command): void {
  const command = pipelineOptions(program.command('backfill <table>'))
    .description('read a range of a table again')
    .option('--from <position>', 'the first position to read (default: the beginning)')
    .option('--to <position>', 'the first position not to read (default: the watermark)')
  act<BackfillOptions>(command, async (terminal, options, [table = '']) => {
    const config = await findPipeline(options)
    return withPipeline(terminal, config, async ({ engine, streams, progress }) => {
      const settings = selectStream(streams, table)
      const result = await backfillStream(engine, settings, { from: options.from, to: options.to })
      progress.pause()
      showResults(terminal, [result], undefined)
      return resultsAnswer([result])
    })
  })
}
