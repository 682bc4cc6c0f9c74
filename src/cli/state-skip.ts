import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { skipStream } from '../extract/index.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { formatPosition } from '../kernel/print.ts'
import { act, pipelineOptions } from './action.ts'
import { confirm } from './confirm.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStream } from './pipeline/select-streams.ts'
import { positionJson } from './render/position.ts'
import { withPipeline } from './run-streams.ts'

interface SkipOptions extends PipelineOptions {
  readonly to: string
  readonly reason: string
  readonly yes?: boolean
}

/** Leaves rows out by hand, as an explicit hole (spec E14): a reason is asked for and recorded. */
export function registerSkip(state: Command): void {
  const command = pipelineOptions(state.command('skip <table>'))
    .description('move a watermark over rows that cannot be read: a hole, until a backfill fills it')
    .requiredOption('--to <position>', 'the first position that is not skipped, as status prints positions')
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--yes', 'do not ask')
  act<SkipOptions>(command, async (terminal, options, [table = '']) => {
    const { to, reason } = options
    if (reason.trim() === '') throw new PlimsollError('USAGE', 'to skip rows needs a reason')
    const config = await findPipeline(options)
    return withPipeline(terminal, config, async ({ engine, streams }) => {
      const settings = selectStream(streams, table)
      const question = `Leave out the rows of ${settings.stream} up to ${to}? The claim will be assumed.`
      await confirm(terminal, { name: 'skip', question, refused: 'nothing skipped' }, options.yes)
      const by = { person: userInfo().username, reason }
      const { before, after, overlap } = await skipStream(engine, settings, to, by)
      const from = before ? ` --from '${formatPosition(before)}'` : ''
      terminal.say(
        `${settings.stream}: [${formatPosition(before)}, ${formatPosition(after)}) is a hole; the claim is assumed\n` +
          `plimsoll backfill ${settings.stream}${from} --to '${formatPosition(after)}' fills it\n` +
          `The next run reads again from the overlap below ${formatPosition(after)}: what cannot be read has to lie lower.`,
      )
      return {
        json: {
          stream: settings.stream,
          before: positionJson(before),
          after: positionJson(after),
          overlap,
        },
      }
    })
  })
}
