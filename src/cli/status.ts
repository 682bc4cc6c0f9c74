import type { Command } from 'commander'
import { watchStreams } from '../assure/alarms/watch-streams.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { planStream } from '../extract/index.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { withLook } from './look.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { claimsAt } from './pipeline/claims-at.ts'
import { findPipelines, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { type StreamStatus, streamStatus } from './pipeline/stream-status.ts'
import { PLAIN } from './render/colour.ts'
import { planToJson, renderPlan } from './render/plan.ts'
import { overall, renderStatus, statusToJson } from './render/status.ts'

interface StatusOptions extends PipelineOptions {
  readonly live?: boolean
}

/** `plimsoll status`: the home screen, from the catalog and the claims at the destination. The source is not asked. */
export function registerStatus(program: Command): void {
  const command = pipelineOptions(program.command('status'))
    .description('show how far every table is complete, and how sure that is')
    .option('--live', 'also ask the source where the fence stands now')
  act<StatusOptions>(command, async (terminal, options) => {
    const configs = await findPipelines(options, options.live ?? false)
    hideSecrets(terminal, configs)
    const catalog = await openCatalogToLook(configs[0]!.stateFolder)
    try {
      const pipelines: unknown[] = []
      for (const config of configs) {
        await watchStreams(
          catalog,
          config.tables.map((table) => toStreamSettings(config, table)),
        )
        const { there, remark } = await claimsAt(config, catalog)
        const streams: StreamStatus[] = []
        for (const table of config.tables) {
          streams.push(await streamStatus(catalog, toStreamSettings(config, table), there?.claims))
        }
        const nowUs = catalog.nowUs()
        const remarks = remark === undefined ? [] : [remark]
        terminal.data(renderStatus(config.name, streams, nowUs, terminal.colour, remarks))
        const live = options.live ? await plansNow(config) : undefined
        if (live) terminal.data(`\n${live.map((plan) => renderPlan(plan, terminal.colour)).join('\n\n')}`)
        pipelines.push({
          pipeline: config.name,
          verdict: overall(streams, PLAIN),
          remarks,
          streams: streams.map((each) => statusToJson(each, nowUs)),
          ...(live ? { live: live.map(planToJson) } : {}),
        })
      }
      return { json: { pipelines } }
    } finally {
      await catalog.close()
    }
  })
}

async function plansNow(config: PipelineConfig) {
  return withLook(config, async ({ engine, streams }) => {
    const plans = []
    for (const settings of streams) plans.push(await planStream(engine, settings))
    return plans
  })
}
