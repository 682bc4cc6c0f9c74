import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkForecast, type ForecastRow } from '../../assure/rehearse/forecast-check.ts'
import { type HistoryEvent, historyLine } from '../../assure/rehearse/history.ts'
import { judge, type Rehearsed } from '../../assure/rehearse/judge.ts'
import { planToText } from '../../assure/rehearse/plan.ts'
import { LOAD_SCHEMA } from '../../assure/rehearse/refuse.ts'
import { rehearse } from '../../assure/rehearse/rehearse.ts'
import { loadConfig } from '../../config/load.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import type { LoadGenerator, LoadStage } from '../../sources/load.ts'
import { openPipeline } from '../engine.ts'
import { openCatalogIn } from '../pipeline/catalog.ts'
import { toStreamSettings } from '../pipeline/stream-settings.ts'
import type { Planned } from './make-plan.ts'
import { pipelineUnderLoad, URL_VARIABLES } from './pipeline-file.ts'

export interface Performed {
  readonly rehearsed: Rehearsed
  readonly forecast: readonly ForecastRow[]
  readonly files: { readonly plan: string; readonly history: string; readonly log: string }
}

/** Performs a plan in a folder of its own, where plan, history, catalog and log stay behind. */
export async function runRehearsal(
  config: PipelineConfig,
  load: LoadGenerator,
  { plan, settings }: Planned,
  folder: string,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<Performed> {
  mkdirSync(folder, { recursive: true })
  const files = {
    plan: join(folder, 'plan.jsonl'),
    history: join(folder, 'history.jsonl'),
    log: join(folder, 'pipeline.log'),
  }
  writeFileSync(files.plan, planToText(plan))
  writeFileSync(files.history, '')
  const { head } = plan
  const stage: LoadStage = { ...head, table: { schema: LOAD_SCHEMA, name: `r_${Date.now().toString(36)}` } }
  const table = config.tables.find((each) => toStreamSettings(config, each).stream === settings.stream)!
  const configFile = join(folder, 'plimsoll.yaml')
  const replicaUrl = config.source.replicaUrl
  const value = pipelineUnderLoad(table, stage, replicaUrl !== undefined)
  writeFileSync(configFile, `# Written by plimsoll rehearse.\n${JSON.stringify(value, undefined, 2)}\n`)
  const env = {
    ...process.env,
    [URL_VARIABLES.source]: config.source.url,
    [URL_VARIABLES.replica]: replicaUrl,
    [URL_VARIABLES.destination]: config.destination.url,
  }
  const ours = loadConfig(configFile, env)
  const events: HistoryEvent[] = []
  const catalog = await openCatalogIn(ours.stateFolder)
  try {
    await rehearse({
      load,
      stage,
      plan,
      replicaUrl,
      history: {
        events,
        add: (event) => {
          events.push(event)
          appendFileSync(files.history, historyLine(event))
        },
      },
      signal,
      say,
      catalog,
      catalogKey: toStreamSettings(ours, ours.tables[0]!).catalogKey,
      program: {
        command: [process.execPath, ...process.execArgv, process.argv[1]!],
        args: ['follow', '--config', configFile, '--every', `${head.periodMs}ms`],
        env,
        cwd: folder,
        logFile: files.log,
      },
      look: async (work) => {
        const open = await openPipeline(ours, catalog)
        try {
          await work(open.engine, open.streams[0]!)
        } finally {
          await open.close()
        }
      },
    })
  } finally {
    await catalog.close()
  }
  const rehearsed = judge(events)
  return { rehearsed, forecast: checkForecast(events, rehearsed), files }
}
