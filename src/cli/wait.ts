import { type Command, Option } from 'commander'
import { askComplete, type CompleteAnswer } from '../assure/complete/complete-through.ts'
import { type WaitLook, waitUntilComplete } from '../assure/complete/wait.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import type { StreamSettings } from '../extract/index.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { clock } from './engine.ts'
import { durationMs } from './numbers.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { claimsAt } from './pipeline/claims-at.ts'
import { type CompleteOptions, completeOptions, completeQuestion } from './pipeline/complete-question.ts'
import { findPipeline } from './pipeline/find-pipeline.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { watchSignals } from './pipeline/signals.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { completeToJson, NOT_COVERED, renderComplete } from './render/complete.ts'

interface WaitOptions extends CompleteOptions {
  readonly timeout: number
  readonly every: number
}

const NOT_COMPLETE = 3

/** `plimsoll wait`: the same question until its answer is yes, for a scheduler before a report (spec A54). */
export function registerWait(program: Command): void {
  const command = completeOptions(pipelineOptions(program.command('wait [table...]')))
    .description('wait until everything before a moment has arrived: exit 0 then, 3 when the time is over')
    .addOption(
      new Option('--timeout <duration>', 'give up after this long')
        .argParser(durationMs)
        .default(1_800_000, '30m'),
    )
    .addOption(
      new Option('--every <duration>', 'look again after this long')
        .argParser(durationMs)
        .default(2_000, '2s'),
    )
  act<WaitOptions>(command, async (terminal, options, tables) => {
    const question = completeQuestion(options)
    const config = await findPipeline(options, false)
    hideSecrets(terminal, [config])
    const all = config.tables.map((table) => toStreamSettings(config, table))
    const streams = selectStreams(all, [...tables, ...(options.table ?? [])])
    const stopping = watchSignals(() => {})
    const catalog = await openCatalogToLook(config.stateFolder)
    try {
      const answer = await waitUntilComplete({
        look: (where) =>
          look(config, catalog, streams, where, (there) => askComplete(catalog, streams, there, question)),
        clock: clock(stopping.signal),
        timeoutMs: options.timeout,
        everyMs: options.every,
        signal: stopping.signal,
        waitingFor: (text) => terminal.say(text),
      })
      terminal.data(renderComplete(answer, question, terminal.colour))
      terminal.say(NOT_COVERED)
      const stopped = stopping.exitCode()
      const exitCode = stopped ?? (answer.holds ? 0 : NOT_COMPLETE)
      return { json: { ...completeToJson(answer, question), stopped: stopped !== undefined }, exitCode }
    } finally {
      await catalog.close()
      stopping.dispose()
    }
  })
}

/**
 * The catalog answers where it knows every stream: a destination that is a file can be opened by one process at a time, and
 * that is a run's. Only its yes is asked of the destination again.
 */
async function look(
  config: PipelineConfig,
  catalog: Catalog,
  streams: readonly StreamSettings[],
  where: WaitLook,
  ask: (there: Awaited<ReturnType<typeof claimsAt>>['there']) => Promise<CompleteAnswer>,
): Promise<CompleteAnswer> {
  if (where === 'catalog' && (await knowsAll(catalog, streams))) return ask(undefined)
  return ask((await claimsAt(config, catalog)).there)
}

async function knowsAll(catalog: Catalog, streams: readonly StreamSettings[]): Promise<boolean> {
  for (const { catalogKey } of streams) {
    if ((await catalog.memory(catalogKey, 'stream')) === undefined) return false
  }
  return true
}
