import { readdirSync } from 'node:fs'
import { redactUrl, schemeOf } from '../../config/connection-url.ts'
import { nearest } from '../../config/nearest.ts'
import type { DestinationConnector } from '../../destinations/destination.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { SourceConnector } from '../../sources/source.ts'

interface Kinds {
  sources: SourceConnector
  destinations: DestinationConnector
}

/** Compiled and from source alike: the connectors' files end as this one does. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/**
 * The connector for a URL. The folder is the registration: `src/sources/x/index.ts` exports `connector`. One whose folder
 * begins the scheme is tried alone, so that no other driver is loaded. Throws USAGE, CONNECTOR_MISSING.
 */
export async function loadConnector<Kind extends keyof Kinds>(kind: Kind, url: string): Promise<Kinds[Kind]> {
  const scheme = schemeOf(url)
  if (scheme === undefined) {
    throw new PlimsollError('USAGE', `${redactUrl(url)} is no connection URL`, {
      hint: 'Write postgres://user@host/database, sqlite:file.db or duckdb:file.duckdb.',
    })
  }
  const folders = connectorFolders(kind)
  const likely = folders.filter((folder) => scheme.startsWith(folder))
  for (const folder of likely) {
    const connector = await withDriver(() => load(kind, folder))
    if (connector.schemes.includes(scheme)) return connector
  }
  const known: string[] = []
  for (const folder of folders) {
    const connector = await load(kind, folder).catch(() => undefined)
    if (connector?.schemes.includes(scheme)) return connector
    known.push(...(connector?.schemes ?? [folder]))
  }
  throw unknownScheme(kind, scheme, known)
}

/** The names of the connector folders of a kind, for help and completion too. */
export function connectorFolders(kind: keyof Kinds): readonly string[] {
  const entries = readdirSync(new URL(`../../${kind}/`, import.meta.url), { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

async function load<Kind extends keyof Kinds>(kind: Kind, folder: string): Promise<Kinds[Kind]> {
  const module = await import(new URL(`../../${kind}/${folder}/index.${EXTENSION}`, import.meta.url).href)
  return module.connector
}

/** Turns the absence of an optional driver into CONNECTOR_MISSING with the line that installs it. */
export async function withDriver<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const driver = missingDriver(cause)
    if (driver === undefined) throw cause
    throw new PlimsollError('CONNECTOR_MISSING', `the driver ${driver.name} is not ${driver.state}`, {
      hint: `${driver.remedy}, then run this again.`,
      cause,
    })
  }
}

function missingDriver(error: unknown): { name: string; state: string; remedy: string } | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  const name = /Cannot find (?:package|module) '((?:@[^/']+\/)?[^/'.][^/']*)/.exec(error.message)?.[1]
  if ((code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && name) {
    return { name, state: 'installed', remedy: `npm install ${name}` }
  }
  if (/Could not locate the bindings file|NODE_MODULE_VERSION/.test(error.message)) {
    return { name: 'better-sqlite3', state: 'built for this Node', remedy: 'npm rebuild better-sqlite3' }
  }
  return undefined
}

function unknownScheme(kind: keyof Kinds, scheme: string, known: readonly string[]): PlimsollError {
  const word = nearest(scheme, known)
  const what = kind === 'sources' ? 'source' : 'destination'
  return new PlimsollError('USAGE', `${scheme} is no ${what} that plimsoll knows`, {
    hint: `${word === undefined ? '' : `Did you mean ${word}:? `}Known: ${known.map((each) => `${each}:`).join(', ')}.`,
  })
}
