import { existsSync } from 'node:fs'
import type { DestinationSide } from '../../assure/complete/known-claim.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { filePathOf } from '../../config/connection-url.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { openDestination } from '../engine.ts'

/** What is beside the data; where it cannot be read, why, and the catalog's memory of it stands in. */
export async function claimsAt(
  config: PipelineConfig,
  catalog: Catalog,
): Promise<{ readonly there: DestinationSide | undefined; readonly remark: string | undefined }> {
  const path = filePathOf(config.destination.url)
  if (path !== undefined && !existsSync(path)) {
    const remark = `the destination ${path} does not exist yet`
    return { there: { claims: [], watermarks: [] }, remark }
  }
  if (config.destination.url.includes(':***@')) {
    const remark = 'the destination was not asked: its password is not kept (--destination URL)'
    return { there: undefined, remark }
  }
  const context = {
    reach: () => {},
    memory: { load: async () => undefined, save: async () => {} },
    note: () => {},
  }
  try {
    const destination = await openDestination(config, () => context)
    try {
      const there = { claims: await destination.claims(), watermarks: await destination.watermarks() }
      return { there, remark: undefined }
    } finally {
      await destination.close()
    }
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    const busy = (await catalog.leases()).some((lease) => lease.expiresUs > catalog.nowUs())
    const why = busy ? 'a run holds it' : `${error.code}: ${error.message}`
    const remark = `the destination could not be read (${why}); this is what the catalog remembers`
    return { there: undefined, remark }
  }
}
