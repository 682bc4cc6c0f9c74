import { z } from 'zod'
import type { Catalog } from '../../catalog/catalog.ts'
import { holdsSecret, redactUrl } from '../../config/connection-url.ts'
import type { Environment } from '../../config/interpolate.ts'
import { configFromValue } from '../../config/parse.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import { configSchema, type RawConfig } from '../../config/schema.ts'
import { PlimsollError } from '../../kernel/errors.ts'

/** What `copy` leaves in the catalog, so that `status`, `run` or `state rewind` need no configuration file. */
export type RememberedCopy = RawConfig & { readonly name: string }

const SCOPE = 'cli'
const NAME = 'copies'
const copiesSchema = z.record(z.string(), configSchema.required({ name: true }))

export interface UrlOverrides {
  readonly source?: string | undefined
  readonly destination?: string | undefined
}

/** Keeps a copy's settings, URLs without passwords; tables of earlier copies between the same two stay. */
export async function rememberCopy(catalog: Catalog, raw: RememberedCopy): Promise<void> {
  const copies = await recallCopies(catalog)
  const before = copies[raw.name]?.tables
  const shown = {
    ...raw,
    source: { ...raw.source, url: redactUrl(raw.source.url) },
    destination: { ...raw.destination, url: redactUrl(raw.destination.url) },
    tables: { ...before, ...raw.tables },
  }
  await catalog.remember(SCOPE, NAME, JSON.stringify({ ...copies, [raw.name]: shown }))
}

/** Takes tables out again that turned out not to be copyable, and the copy when none is left. */
export async function forgetTables(catalog: Catalog, name: string, tables: readonly string[]): Promise<void> {
  const { [name]: copy, ...others } = await recallCopies(catalog)
  if (!copy || tables.length === 0) return
  const left = Object.fromEntries(Object.entries(copy.tables).filter(([table]) => !tables.includes(table)))
  const copies = Object.keys(left).length === 0 ? others : { ...others, [name]: { ...copy, tables: left } }
  await catalog.remember(SCOPE, NAME, JSON.stringify(copies))
}

export async function recallCopies(catalog: Catalog): Promise<Readonly<Record<string, RememberedCopy>>> {
  const text = await catalog.memory(SCOPE, NAME)
  return text === undefined ? {} : (copiesSchema.parse(JSON.parse(text)) as Record<string, RememberedCopy>)
}

/** An earlier copy as a pipeline. Where a URL had a password it is asked for again, when `needUrls` says it is used. */
export function copyToConfig(
  raw: RememberedCopy,
  folder: string,
  stateFolder: string,
  overrides: UrlOverrides,
  environment: Environment,
  needUrls: boolean,
): PipelineConfig {
  const source = overrides.source ?? environment.PLIMSOLL_SOURCE_URL ?? raw.source.url
  const destination = overrides.destination ?? environment.PLIMSOLL_DESTINATION_URL ?? raw.destination.url
  const hidden = needUrls
    ? [source, destination].filter((url) => url.includes('***') && holdsSecretMark(url))
    : []
  if (hidden.length > 0) {
    throw new PlimsollError('USAGE', `the password of ${hidden.join(' and ')} is not kept`, {
      hint: 'Give the URL again with --source or --destination, or in PLIMSOLL_SOURCE_URL or PLIMSOLL_DESTINATION_URL.',
    })
  }
  const value = {
    ...raw,
    source: { ...raw.source, url: source },
    destination: { ...raw.destination, url: destination },
  }
  const config = configFromValue(value, { file: 'copy', folder, defaultName: raw.name })
  return { ...config, stateFolder, file: undefined }
}

/** True when the hidden part of a printed URL stands where a password does. */
function holdsSecretMark(url: string): boolean {
  return holdsSecret(url.replaceAll('***', 'x'))
}
