import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { withDriver } from './connectors.ts'

/** Opens the catalog in a folder; creates it when absent. Throws CATALOG_UNAVAILABLE, CONNECTOR_MISSING. */
export async function openCatalogIn(folder: string): Promise<Catalog> {
  return withDriver(async () => {
    const { openCatalog } = await import('../../catalog/sqlite/index.ts')
    return openCatalog(folder)
  })
}

/** True when something has run with this folder before. */
export function catalogExists(folder: string): boolean {
  return existsSync(join(folder, 'catalog.sqlite'))
}

/** A catalog for looking only: the one that is there, or an empty one that leaves nothing behind. */
export async function openCatalogToLook(folder: string): Promise<Catalog> {
  if (catalogExists(folder)) return openCatalogIn(folder)
  const scratch = await mkdtemp(join(tmpdir(), 'plimsoll-'))
  const catalog = await openCatalogIn(scratch)
  return {
    ...catalog,
    close: async () => {
      await catalog.close()
      await rm(scratch, { recursive: true, force: true })
    },
  }
}
