import type { Command } from 'commander'
import { planStream, type StreamPlan } from '../extract/index.ts'
import { type ErrorCode, PlimsollError } from '../kernel/errors.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { exitCodeOfResults } from './exit-code.ts'
import { withLook } from './look.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { planToJson, renderPlan } from './render/plan.ts'

/** `plimsoll plan`: what a run would do and what would stop it. Changes nothing. The exit code is the run's. */
export function registerPlan(program: Command): void {
  const command = pipelineOptions(program.command('plan [table...]')).description(
    'show what a run would do; changes nothing',
  )
  act<PipelineOptions>(command, async (terminal, options, tables) => {
    const config = await findPipeline(options)
    hideSecrets(terminal, [config])
    return withLook(config, async ({ engine, streams }) => {
      const plans: StreamPlan[] = []
      for (const settings of selectStreams(streams, tables)) plans.push(await planStream(engine, settings))
      terminal.data(plans.map((plan) => renderPlan(plan, terminal.colour)).join('\n\n'))
      return { json: { plans: plans.map(planToJson) }, exitCode: exitCodeOfPlans(plans) }
    })
  })
}

/** What would stop a run gives the exit code that the run would end with. */
function exitCodeOfPlans(plans: readonly StreamPlan[]): number {
  const results = plans.map(({ obstacles: [first] }) => ({
    error: first && new PlimsollError(first.code as ErrorCode, first.message),
  }))
  return exitCodeOfResults(results)
}
