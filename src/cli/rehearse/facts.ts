import {
  type DestinationFacts,
  flagRefusal,
  knownSources,
  refused,
  refuseMarking,
  refuseUnlessMarked,
} from '../../assure/rehearse/refuse.ts'
import { redactUrl } from '../../config/connection-url.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import type { Engine, StreamSettings } from '../../extract/index.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { LoadGenerator } from '../../sources/load.ts'
import type { ServerIdentity } from '../../sources/source.ts'
import { withLook } from '../look.ts'
import { openCatalogToLook } from '../pipeline/catalog.ts'
import { loadConnector, withDriver } from '../pipeline/connectors.ts'

/**
 * The load generator of the configuration's source, which `--on` must name again. Throws REHEARSAL_REFUSED without the
 * flag, before anything is connected to, and NOT_SUPPORTED where a kind of source has no load.
 */
export async function openLoad(config: PipelineConfig, on: string | undefined): Promise<LoadGenerator> {
  const { url, rehearsal } = config.source
  const shown = redactUrl(url)
  const reason = flagRefusal(rehearsal)
  if (reason !== undefined) throw refused(shown, [reason])
  if (on !== undefined && redactUrl(on) !== shown) {
    throw refused(redactUrl(on), [`the configuration's source is ${shown}`])
  }
  const connector = await loadConnector('sources', url)
  const { openLoad: open } = connector
  if (!open) {
    throw new PlimsollError('NOT_SUPPORTED', `${connector.title} offers no load for a rehearsal`, {
      hint: 'Rehearse on a PostgreSQL staging copy. plimsoll demo shows the same comparison on SQLite.',
    })
  }
  return withDriver(() => open(on ?? url))
}

/** Refuses unless all of A49 hold; then looks at the pipeline that is to be rehearsed. Nothing is written. */
export async function lookBefore<T>(
  config: PipelineConfig,
  load: LoadGenerator,
  look: (engine: Engine, streams: readonly StreamSettings[]) => Promise<T>,
): Promise<T> {
  const [identity, marks] = [await load.identity(), await load.marks()]
  return withLook(config, async ({ engine, streams }) => {
    refuseUnlessMarked({
      flagged: config.source.rehearsal,
      identity,
      marks,
      known: await knownSources(engine.catalog),
      destination: await destinationFacts(config, engine),
    })
    return look(engine, streams)
  })
}

/** The refusals that a mark is subject to: production is not even marked. */
export async function refuseMark(config: PipelineConfig, identity: ServerIdentity): Promise<void> {
  const catalog = await openCatalogToLook(config.stateFolder)
  try {
    refuseMarking({ flagged: config.source.rehearsal, identity, known: await knownSources(catalog) })
  } finally {
    await catalog.close()
  }
}

async function destinationFacts(config: PipelineConfig, { destination }: Engine): Promise<DestinationFacts> {
  const tables = await destination.tables?.()
  const claims = await destination.claims()
  const isMarked = tables?.some(({ name }) => name === MARKER) ?? false
  if (!isMarked) return { tables, claims }
  const connector = await loadConnector('sources', config.destination.url).catch(() => undefined)
  const load = await connector?.openLoad?.(config.destination.url)
  if (!load) return { tables, claims }
  try {
    return { tables, claims, marked: { identity: await load.identity(), marks: await load.marks() } }
  } finally {
    await load.close()
  }
}

const MARKER = 'plimsoll_rehearsal'
