import { resolve } from 'node:path'
import { chooseOrder } from '../../assure/doctor/choose-order.ts'
import type { DoctorRequest } from '../../assure/doctor/examine-source.ts'
import { CONFIG_FILE, configOrigin } from '../../config/load.ts'
import { configFromValue } from '../../config/parse.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import { formatTableName, parseTableName } from '../../config/table-name.ts'
import type { StreamSettings } from '../../extract/index.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { Source, TableRef } from '../../sources/source.ts'
import type { LeftOut } from '../render/doctor-json.ts'
import { stateFolder } from './find-pipeline.ts'
import { toStreamSettings } from './stream-settings.ts'

/** What to look at. */
export interface Asked {
  readonly tables: DoctorRequest['tables']
  readonly everyTable: DoctorRequest['everyTable']
  readonly leftOut: readonly LeftOut[]
}

/** A source without a configuration: every setting has its default, and nothing has a destination. */
export function bareConfig(url: string, options: { readonly state?: string }): PipelineConfig {
  const raw = { source: { url }, destination: { url: 'duckdb::memory:' }, tables: ['any'] }
  const config = configFromValue(raw, configOrigin(resolve(CONFIG_FILE), 'command line'))
  return { ...config, stateFolder: stateFolder(options) }
}

/** The tables of a source that can be looked at: those named, or all that a column could order. */
export async function bareTables(
  config: PipelineConfig,
  source: Source,
  names: readonly string[] | undefined,
): Promise<Asked> {
  const settingsOf = (table: TableRef): StreamSettings =>
    toStreamSettings(config, { ...config.tables[0]!, table })
  const refs = names
    ? names.map((name) => refOf(config, name))
    : (await source.list()).map(({ table }) => table)
  const asked: { table: string; settings: StreamSettings }[] = []
  const leftOut: LeftOut[] = []
  for (const ref of refs) {
    const settings = settingsOf(ref)
    const table = formatTableName(ref)
    const why = names ? undefined : await whyNot(source, settings)
    if (why === undefined) asked.push({ table, settings })
    else leftOut.push({ table, why })
  }
  return { tables: asked, everyTable: asked.map(({ settings }) => settings), leftOut }
}

function refOf(config: PipelineConfig, name: string): TableRef {
  const parsed = parseTableName(name)
  if (!parsed) {
    throw new PlimsollError('USAGE', `${name} is no table name`, { hint: 'Write schema.name.' })
  }
  return toStreamSettings(config, { ...config.tables[0]!, table: parsed }).table
}

/** Why no column can order a table; undefined where one can, and where nobody could find out. */
async function whyNot(source: Source, settings: StreamSettings): Promise<string | undefined> {
  try {
    await chooseOrder(source, settings)
    return undefined
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    return error.kind === 'usage' ? error.message : undefined
  }
}
