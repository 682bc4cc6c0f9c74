import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filePathOf, withFilePath } from '../config/connection-url.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { type OpenPipeline, openPipeline } from './engine.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'

/**
 * Opens a pipeline to look at it. What does not exist yet is not made: a missing catalog or destination file is stood in
 * for by an empty one in the temporary folder.
 */
export async function withLook<T>(
  config: PipelineConfig,
  work: (open: OpenPipeline) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'plimsoll-'))
  const catalog = await openCatalogToLook(config.stateFolder)
  try {
    const open = await openPipeline(withoutNewFile(config, scratch), catalog, { lookOnly: true })
    try {
      return await work(open)
    } finally {
      await open.close()
    }
  } finally {
    await catalog.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

function withoutNewFile(config: PipelineConfig, scratch: string): PipelineConfig {
  const path = filePathOf(config.destination.url)
  if (path === undefined || existsSync(path)) return config
  const url = withFilePath(config.destination.url, join(scratch, 'destination'))
  return { ...config, destination: { ...config.destination, url } }
}
