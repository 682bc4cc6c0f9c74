import type { Command } from 'commander'
import { type AuditAsked, auditStreams } from '../assure/audit/audit-streams.ts'
import { latenessKnowledge } from '../assure/lateness/knowledge.ts'
import { parseDurationUs } from '../config/duration.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { act, pipelineOptions } from './action.ts'
import { checkExitCode } from './exit-code.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { secondLookOption, withSecondLook } from './pipeline/second-look.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { auditToJson, renderAudit, renderNotLooked } from './render/audit.ts'
import { withPipeline } from './run-streams.ts'

interface AuditOptions extends PipelineOptions {
  readonly window?: string
  readonly full?: boolean
  readonly content?: boolean
  readonly secondLook?: string
}

/** `plimsoll audit`: looks for lost rows below the settled bound, with causes (spec A7 to A22). */
export function registerAudit(program: Command): void {
  const command = secondLookOption(pipelineOptions(program.command('audit [table...]')))
    .description('look for lost rows, say why they were lost and how to bring them back')
    .option('--window <duration>', 'only rows dated so far back, such as 48h (default: 35d for large tables)')
    .option('--full', 'every row, whatever its date')
    .option('--content', 'compare all columns, not only key and position')
  act<AuditOptions>(command, async (terminal, options, tables) => {
    const asked = { ...askedOf(options), say: terminal.say }
    const config = await findPipeline(options)
    return withPipeline(terminal, config, async ({ engine, streams, progress }) => {
      progress.pause()
      const chosen = withSecondLook(selectStreams(streams, tables), options.secondLook)
      const answer = await auditStreams(
        engine,
        chosen,
        asked,
        (settings) => latenessKnowledge(engine, settings),
        (audit) => terminal.data(renderAudit(audit, terminal.colour)),
      )
      for (const each of answer.notLooked) terminal.data(renderNotLooked(each, terminal.colour))
      return { json: auditToJson(answer), exitCode: checkExitCode(answer) }
    })
  })
}

function askedOf({ window, full, content }: AuditOptions): AuditAsked {
  if (window !== undefined && full) {
    throw new PlimsollError('USAGE', '--window and --full exclude each other', {
      hint: 'Keep one of the two.',
    })
  }
  const us = window === undefined ? undefined : parseDurationUs(window)
  if (window !== undefined && us === undefined) {
    throw new PlimsollError('USAGE', `${window} is no duration`, { hint: 'Write 48h, 35d or 10m.' })
  }
  return { window: full ? 'full' : us, content: content ?? false }
}
