import { type Command, Option } from 'commander'
import type { CompleteQuestion } from '../../assure/complete/complete-through.ts'
import { parseTimestamp } from '../../kernel/calendar.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { ProofLevel } from '../../kernel/proof.ts'
import { several } from '../action.ts'
import type { PipelineOptions } from './find-pipeline.ts'

export interface CompleteOptions extends PipelineOptions {
  readonly through: string
  readonly table?: readonly string[]
  readonly require: ProofLevel
}

/** The options that `complete` and `wait` share. */
export function completeOptions(command: Command): Command {
  return command
    .requiredOption(
      '--through <time>',
      'a moment such as 2026-03-01 or "2026-03-01 06:00+01:00"; UTC without a zone',
    )
    .option('--table <name>', 'only this table; may be given again', several)
    .addOption(
      new Option('--require <level>', 'how sure the claims must be')
        .choices(['proven', 'measured', 'assumed'])
        .default('assumed'),
    )
}

/** Throws USAGE when the moment is none. */
export function completeQuestion({ through, require }: CompleteOptions): CompleteQuestion {
  const throughUs = parseTimestamp(through)
  if (throughUs !== undefined) return { throughUs, require }
  throw new PlimsollError('USAGE', `${through} is no time`, {
    hint: 'Write 2026-03-01 or "2026-03-01 06:00Z".',
  })
}
