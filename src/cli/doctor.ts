import type { Command } from 'commander'
import { type Check, isFound } from '../assure/doctor/check.ts'
import { type DoctorRequest, type ExaminedSource, examineSource } from '../assure/doctor/examine-source.ts'
import { keepResult } from '../assure/doctor/keep-result.ts'
import { redactUrl } from '../config/connection-url.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { formatTableName } from '../config/table-name.ts'
import { act, hideSecrets, pipelineOptions, several } from './action.ts'
import { clock, openSource } from './engine.ts'
import { type Asked, bareConfig, bareTables } from './pipeline/bare-source.ts'
import { catalogExists, openCatalogIn } from './pipeline/catalog.ts'
import { claimsAt } from './pipeline/claims-at.ts'
import { doctorScope } from './pipeline/doctor-scope.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { selectStreams } from './pipeline/select-streams.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { renderChanges, renderExamined, renderSource } from './render/doctor.ts'
import { examinedToJson, type LeftOut } from './render/doctor-json.ts'
import type { Terminal } from './terminal.ts'

interface DoctorOptions extends PipelineOptions {
  readonly table?: readonly string[]
}

const FOUND = 3
const COULD_NOT_LOOK = 4

/** `plimsoll doctor`: one check for each lie of a position column, before it happens (spec A41 to A45). */
export function registerDoctor(program: Command): void {
  const command = pipelineOptions(program.command('doctor [source]'))
    .description(
      'look at a source before anything goes wrong: each lie of a position column, index, rights, clock',
    )
    .option('--table <name>', 'only this table; may be given again', several)
  act<DoctorOptions>(command, async (terminal, options, [url]) => {
    const config = url === undefined ? await findPipeline(options) : bareConfig(url, options)
    hideSecrets(terminal, [config])
    const memory = { load: async () => undefined, save: async () => {} }
    const source = await openSource(config, () => ({ reach: () => {}, memory, note: terminal.say }))
    const catalog = catalogExists(config.stateFolder) ? await openCatalogIn(config.stateFolder) : undefined
    try {
      const asked =
        url === undefined ? configured(config, options) : await bareTables(config, source, options.table)
      const claims =
        url === undefined && catalog ? (await claimsAt(config, catalog)).there?.claims : undefined
      const request: DoctorRequest = {
        source,
        address: redactUrl(config.source.url),
        scope: doctorScope(config.source.url),
        tables: asked.tables,
        isConfigured: url === undefined,
        everyTable: asked.everyTable,
        catalog,
        claims: claims ?? [],
        clock: clock(undefined),
        show: (table) => terminal.data(`${renderExamined(table, terminal.colour)}\n`),
      }
      return await examine(terminal, request, asked.leftOut)
    } finally {
      await catalog?.close()
      await source.close()
    }
  })
}

function configured(config: PipelineConfig, { table: names = [] }: DoctorOptions): Asked {
  const everyTable = config.tables.map((table) => toStreamSettings(config, table))
  const tables = selectStreams(everyTable, names).map((settings) => ({
    table: formatTableName(settings.table),
    settings,
  }))
  return { tables, everyTable, leftOut: [] }
}

async function examine(terminal: Terminal, request: DoctorRequest, leftOut: readonly LeftOut[]) {
  const { catalog } = request
  const examined = await examineSource(request)
  terminal.data(renderSource(examined, terminal.colour))
  for (const { why } of leftOut) terminal.say(`left out: ${why}`)
  const changes = catalog && (await keepResult({ ...request, catalog }, examined))
  if (changes && changes.length > 0) terminal.data(`\n${renderChanges(changes)}`)
  return {
    json: { sources: [examinedToJson(examined, leftOut, changes)] },
    exitCode: exitCodeOf(examined),
  }
}

/** Found something outranks could not look (spec A1, A41). */
function exitCodeOf({ checks, tables }: ExaminedSource): number {
  const all: readonly Check[] = [...checks, ...tables.flatMap((table) => table.checks)]
  if (all.some(isFound)) return FOUND
  return all.some(({ severity }) => severity === 'could_not_look') ? COULD_NOT_LOOK : 0
}
