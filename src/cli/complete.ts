import type { Command } from 'commander'
import { askComplete } from '../assure/complete/complete-through.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { claimsAt } from './pipeline/claims-at.ts'
import { type CompleteOptions, completeOptions, completeQuestion } from './pipeline/complete-question.ts'
import { findPipeline } from './pipeline/find-pipeline.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { completeToJson, NOT_COVERED, renderComplete } from './render/complete.ts'

const NOT_COMPLETE = 3

/** `plimsoll complete`: whether everything before a moment has arrived, and who holds it back (spec A54). */
export function registerComplete(program: Command): void {
  const command = completeOptions(pipelineOptions(program.command('complete [table...]'))).description(
    'say whether everything before a moment has arrived: exit 0 yes, 3 no, with who holds it back',
  )
  act<CompleteOptions>(command, async (terminal, options, tables) => {
    const question = completeQuestion(options)
    const config = await findPipeline(options, false)
    hideSecrets(terminal, [config])
    const all = config.tables.map((table) => toStreamSettings(config, table))
    const streams = selectStreams(all, [...tables, ...(options.table ?? [])])
    const catalog = await openCatalogToLook(config.stateFolder)
    try {
      const { there, remark } = await claimsAt(config, catalog)
      const answer = await askComplete(catalog, streams, there, question)
      if (remark !== undefined) terminal.say(remark)
      terminal.data(renderComplete(answer, question, terminal.colour))
      terminal.say(NOT_COVERED)
      const json = { ...completeToJson(answer, question), remark: remark ?? null }
      return { json, ...(answer.holds ? {} : { exitCode: NOT_COMPLETE }) }
    } finally {
      await catalog.close()
    }
  })
}
