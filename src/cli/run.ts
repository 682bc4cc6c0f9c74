import type { Command } from 'commander'
import { act, pipelineOptions } from './action.ts'
import { wholeNumber } from './numbers.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { runOnce, type Working, withPipeline } from './run-streams.ts'

/** `plimsoll run`: one run of all tables, or of those named. */
export function registerRun(program: Command): void {
  const command = pipelineOptions(program.command('run [table...]'))
    .description('copy what changed, once')
    .option('--concurrency <n>', 'tables at once', wholeNumber, 4)
  act<PipelineOptions & { readonly concurrency: number }>(command, async (terminal, options, tables) => {
    const config = await findPipeline(options)
    const work = async (working: Working) =>
      runOnce(terminal, working, selectStreams(working.streams, tables), options.concurrency, 'plimsoll run')
    return withPipeline(terminal, config, work, true)
  })
}
