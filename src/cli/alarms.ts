import type { Command } from 'commander'
import { groupAlarms } from '../assure/alarms/group-alarms.ts'
import { watchStreams } from '../assure/alarms/watch-streams.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { act, hideSecrets, pipelineOptions } from './action.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { doctorScope } from './pipeline/doctor-scope.ts'
import { findPipelines, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { alarmsToJson, renderAlarms } from './render/alarms.ts'

interface AlarmsOptions extends PipelineOptions {
  readonly all?: boolean
}

const PAGE_OPEN = 3

/** What alarms of these pipelines are raised under, each with the name to show: every table, and the source itself. */
function namesOf(configs: readonly PipelineConfig[]): ReadonlyMap<string, string> {
  return new Map(
    configs.flatMap((config) => [
      [doctorScope(config.source.url), `${config.name}/source`] as const,
      ...config.tables.map((table) => {
        const { catalogKey } = toStreamSettings(config, table)
        return [catalogKey, catalogKey] as const
      }),
    ]),
  )
}

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
      const names = namesOf(configs)
      const alarms = (await catalog.alarms(!options.all)).flatMap((alarm) => {
        const stream = names.get(alarm.stream)
        return stream === undefined ? [] : [{ ...alarm, stream }]
      })
      const groups = groupAlarms(alarms)
      terminal.data(renderAlarms(groups, catalog.nowUs(), terminal.colour))
      const isPage = groups.some(({ level, alarms: [first] }) => level === 'page' && !first.resolvedUs)
      return { json: alarmsToJson(groups), ...(isPage ? { exitCode: PAGE_OPEN } : {}) }
    } finally {
      await catalog.close()
    }
  })
}
