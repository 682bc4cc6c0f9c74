import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { estimate } from '../assure/rehearse/estimate.ts'
import { secretsOf } from '../config/connection-url.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { durationMs, wholeNumber } from './numbers.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { watchSignals } from './pipeline/signals.ts'
import { lookBefore, openLoad } from './rehearse/facts.ts'
import {
  DEFAULT_ROWS,
  LEAST_PERIOD_MS,
  type PlanOptions,
  planRehearsal,
  streamsAsked,
} from './rehearse/make-plan.ts'
import { markDatabase } from './rehearse/mark.ts'
import { runRehearsal } from './rehearse/run-rehearsal.ts'
import { rehearsalExitCode, rehearsalToJson, renderBefore, renderRehearsal } from './render/rehearse.ts'
import type { Terminal } from './terminal.ts'

interface RehearseOptions extends PipelineOptions, PlanOptions {
  readonly on?: string
  readonly mark?: string | true
  readonly days: number
  readonly folder?: string
}

const DEFAULT_MULTIPLIER = 8
const DEFAULT_SEED = 20261127
const DEFAULT_DAYS = 30

/** `plimsoll rehearse`: a real load on a marked staging copy, with naive readers beside the pipeline (spec A48 to A53). */
export function registerRehearse(program: Command): void {
  const command = pipelineOptions(program.command('rehearse [table]'))
    .description('load a marked staging copy and count what is lost, here and by the usual readers')
    .option('--on <url>', 'the staging copy, as the configuration names it too')
    .option('--multiplier <number>', 'times the busiest minute', positive, DEFAULT_MULTIPLIER)
    .option('--rate <number>', 'rows a second, instead of the busiest minute', positive)
    .option('--for <duration>', 'how long (default: until enough boundaries have passed)', durationMs)
    .option('--period <duration>', 'from one run to the next', durationMs, LEAST_PERIOD_MS)
    .option('--rows <n>', 'rows of the table before the load', wholeNumber, DEFAULT_ROWS)
    .option('--writers <n>', 'sessions that write (default: what the rate needs)', wholeNumber)
    .option('--seed <n>', 'which choices are made', wholeNumber, DEFAULT_SEED)
    .option('--replay <plan>', 'repeats the plan of an earlier rehearsal')
    .option('--folder <folder>', 'for plan, history and log (default: rehearsals/… in the state folder)')
    .option('--mark [database]', 'mark the database for rehearsals; its name in full')
    .option('--days <n>', 'how long a mark lasts', wholeNumber, DEFAULT_DAYS)
  act<RehearseOptions>(command, async (terminal, options, [table]) => {
    const config = await findPipeline(options)
    hideSecrets(terminal, [config])
    if (options.on !== undefined) terminal.hide(secretsOf(options.on))
    const load = await openLoad(config, options.on)
    try {
      if (options.mark !== undefined) {
        return await markDatabase(terminal, config, load, options.mark, options.days)
      }
      return await perform(terminal, config, load, options, table)
    } finally {
      await load.close()
    }
  })
}

async function perform(
  terminal: Terminal,
  config: Awaited<ReturnType<typeof findPipeline>>,
  load: Awaited<ReturnType<typeof openLoad>>,
  options: RehearseOptions,
  table: string | undefined,
) {
  const planned = await lookBefore(config, load, (engine, streams) =>
    planRehearsal(
      engine,
      streamsAsked(streams, table),
      load,
      options,
      config.source.replicaUrl !== undefined,
    ),
  )
  const before = { ...planned, estimate: estimate(planned.plan), multiplier: options.multiplier }
  terminal.say(renderBefore(before))
  const stopping = watchSignals(terminal.say)
  try {
    const folder = options.folder ?? join(config.stateFolder, 'rehearsals', Date.now().toString(36))
    const performed = await runRehearsal(config, load, planned, folder, stopping.signal, terminal.say)
    const stopped = stopping.exitCode()
    if (stopped === undefined) terminal.data(renderRehearsal(before, performed, terminal.colour))
    else terminal.say('stopped: nothing was judged')
    return {
      json: stopped === undefined ? rehearsalToJson(before, performed) : { stopped: true },
      exitCode: stopped ?? rehearsalExitCode(performed.rehearsed),
    }
  } finally {
    stopping.dispose()
  }
}

function positive(text: string): number {
  const number = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && number > 0) return number
  throw new InvalidArgumentError('It must be a number above 0.')
}
