import type { Command } from 'commander'
import { groupAlarms } from '../assure/alarms/group-alarms.ts'
import { watchStreams } from '../assure/alarms/watch-streams.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { findPipelines, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { alarmsToJson, renderAlarms } from './render/alarms.ts'

interface AlarmsOptions extends PipelineOptions {
  readonly all?: boolean
}

const PAGE_OPEN = 3

/** `plimsoll alarms`: what is open, what it costs and what to do (spec A59). Databases are not asked. */
export function registerAlarms(program: Command): void {
  const command = pipelineOptions(program.command('alarms'))
    .description('show open alarms, what each costs and what to do: exit 3 when a page is open, 0 otherwise')
    .option('--all', 'also those that are resolved')
  act<AlarmsOptions>(command, async (terminal, options) => {
    const configs = await findPipelines(options, false)
    hideSecrets(terminal, configs)
    const catalog = await openCatalogToLook(configs[0]!.stateFolder)
    try {
      const streams = configs.flatMap((config) => config.tables.map((each) => toStreamSettings(config, each)))
      await watchStreams(catalog, streams)
      const known = new Set(streams.map(({ catalogKey }) => catalogKey))
      const alarms = (await catalog.alarms(!options.all)).filter(({ stream }) => known.has(stream))
      const groups = groupAlarms(alarms)
      terminal.data(renderAlarms(groups, catalog.nowUs(), terminal.colour))
      const isPage = groups.some(({ level, alarms: [first] }) => level === 'page' && !first.resolvedUs)
      return { json: alarmsToJson(groups), ...(isPage ? { exitCode: PAGE_OPEN } : {}) }
    } finally {
      await catalog.close()
    }
  })
}
