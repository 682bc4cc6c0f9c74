import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Catalog } from '../catalog/catalog.ts'
import { filePathOf } from '../config/connection-url.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import type { StoredClaim } from '../destinations/destination.ts'
import { planStream } from '../extract/index.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { openDestination } from './engine.ts'
import { withLook } from './look.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
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
        const { claims, remark } = await claimsAt(config, catalog)
        const streams: StreamStatus[] = []
        for (const table of config.tables) {
          streams.push(await streamStatus(catalog, toStreamSettings(config, table), claims))
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

/** The claims beside the data; where they cannot be read, why, and the catalog's memory of them stands in. */
async function claimsAt(
  config: PipelineConfig,
  catalog: Catalog,
): Promise<{ claims: readonly StoredClaim[] | undefined; remark: string | undefined }> {
  const path = filePathOf(config.destination.url)
  if (path !== undefined && !existsSync(path))
    return { claims: [], remark: `the destination ${path} does not exist yet` }
  if (config.destination.url.includes(':***@')) {
    return {
      claims: undefined,
      remark: 'the destination was not asked: its password is not kept (--destination URL)',
    }
  }
  const context = {
    reach: () => {},
    memory: { load: async () => undefined, save: async () => {} },
    note: () => {},
  }
  try {
    const destination = await openDestination(config, () => context)
    try {
      return { claims: await destination.claims(), remark: undefined }
    } finally {
      await destination.close()
    }
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    const busy = (await catalog.leases()).some((lease) => lease.expiresUs > catalog.nowUs())
    const why = busy ? 'a run holds it' : `${error.code}: ${error.message}`
    return {
      claims: undefined,
      remark: `the destination could not be read (${why}); this is what the catalog remembers`,
    }
  }
}

async function plansNow(config: PipelineConfig) {
  return withLook(config, async ({ engine, streams }) => {
    const plans = []
    for (const settings of streams) plans.push(await planStream(engine, settings))
    return plans
  })
}
