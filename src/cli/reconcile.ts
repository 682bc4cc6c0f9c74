import { type Command, Option } from 'commander'
import { latenessKnowledge } from '../assure/lateness/knowledge.ts'
import { reconcileStreams } from '../assure/reconcile/reconcile-streams.ts'
import type { DeleteMode } from '../extract/index.ts'
import { act, pipelineOptions } from './action.ts'
import { checkExitCode } from './exit-code.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { secondLookOption, withSecondLook } from './pipeline/second-look.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { auditToJson, renderNotLooked, renderReconcile } from './render/audit.ts'
import { withPipeline } from './run-streams.ts'

interface ReconcileOptions extends PipelineOptions {
  readonly level: '1' | '4'
  readonly deletes?: DeleteMode
  readonly secondLook?: string
}

/** `plimsoll reconcile`: compares every row on both sides, down to columns (spec A23 to A27). */
export function registerReconcile(program: Command): void {
  const command = secondLookOption(pipelineOptions(program.command('reconcile [table...]')))
    .description('compare everything: missing, extra and different rows, and in which columns')
    .addOption(
      new Option('--level <level>', '1: key and position only; 4: every column')
        .choices(['1', '4'])
        .default('4'),
    )
    .addOption(
      new Option(
        '--deletes <mode>',
        'what becomes of rows that are gone at the source (default: as configured, else report)',
      ).choices(['report', 'remove', 'mark']),
    )
  act<ReconcileOptions>(command, async (terminal, options, tables) => {
    const config = await findPipeline(options)
    return withPipeline(terminal, config, async ({ engine, streams, progress }) => {
      progress.pause()
      const chosen = withSecondLook(selectStreams(streams, tables), options.secondLook)
      const asked = {
        level: options.level === '1' ? 1 : 4,
        deletes: options.deletes,
        say: terminal.say,
      } as const
      const answer = await reconcileStreams(
        engine,
        chosen,
        asked,
        (settings) => latenessKnowledge(engine, settings),
        (result) => terminal.data(renderReconcile(result, terminal.colour)),
      )
      for (const each of answer.notLooked) terminal.data(renderNotLooked(each, terminal.colour))
      return { json: auditToJson(answer), exitCode: checkExitCode(answer) }
    })
  })
}
