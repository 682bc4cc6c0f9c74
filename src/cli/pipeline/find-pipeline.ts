import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { CONFIG_FILE, loadConfig } from '../../config/load.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { catalogExists, openCatalogIn } from './catalog.ts'
import { copyToConfig, recallCopies, type UrlOverrides } from './copies.ts'

export interface PipelineOptions extends UrlOverrides {
  readonly config?: string
  readonly state?: string
  readonly pipeline?: string
}

const STATE_FOLDER = '.plimsoll'

export function stateFolder(options: { readonly state?: string }): string {
  return resolve(options.state ?? STATE_FOLDER)
}

/**
 * The pipelines a command speaks of: that of the configuration file, or the copies the catalog remembers. With
 * `needUrls` their passwords must be known. Throws CONFIG_INVALID when there is neither.
 */
export async function findPipelines(
  options: PipelineOptions,
  needUrls: boolean,
): Promise<readonly PipelineConfig[]> {
  if (options.config !== undefined || existsSync(CONFIG_FILE)) {
    const config = loadConfig(options.config ?? CONFIG_FILE)
    return [options.state === undefined ? config : { ...config, stateFolder: resolve(options.state) }]
  }
  const folder = stateFolder(options)
  const copies = catalogExists(folder) ? await copiesIn(folder) : []
  const wanted = copies.filter((copy) => options.pipeline === undefined || copy.name === options.pipeline)
  if (wanted.length === 0)
    throw nothingThere(
      options,
      copies.map((copy) => copy.name),
    )
  return wanted.map((copy) => copyToConfig(copy, process.cwd(), folder, options, process.env, needUrls))
}

/** The one pipeline a command works on. Throws USAGE when there are several. */
export async function findPipeline(options: PipelineOptions, needUrls = true): Promise<PipelineConfig> {
  const found = await findPipelines(options, needUrls)
  if (found.length === 1) return found[0]!
  throw new PlimsollError(
    'USAGE',
    `there are ${found.length} pipelines here: ${found.map((each) => each.name).join(', ')}`,
    {
      hint: 'Choose one with --pipeline NAME.',
    },
  )
}

async function copiesIn(folder: string) {
  const catalog = await openCatalogIn(folder)
  try {
    return Object.values(await recallCopies(catalog))
  } finally {
    await catalog.close()
  }
}

function nothingThere(options: PipelineOptions, names: readonly string[]): PlimsollError {
  if (options.pipeline !== undefined && names.length > 0) {
    return new PlimsollError('USAGE', `no pipeline ${options.pipeline}`, {
      hint: `Known: ${names.join(', ')}.`,
    })
  }
  return new PlimsollError(
    'CONFIG_INVALID',
    `there is no ${CONFIG_FILE} here, and nothing was copied from here`,
    {
      hint: 'plimsoll init SOURCE DESTINATION writes one; plimsoll copy needs none; --config or --state name another place.',
    },
  )
}
