import type { Engine } from '../../extract/engine.ts'
import type { LatenessWatch } from '../../extract/lateness-watch.ts'
import { createSampler } from './sampler.ts'
import { loadSamplerHistory } from './sampler-history.ts'
import { samplerScope } from './sampler-log.ts'
import { KEPT_DAYS } from './store.ts'
import { createLatenessWatch } from './watch.ts'

export interface Lateness {
  readonly watch: LatenessWatch
  stop(): Promise<void>
}

/**
 * Begins to measure lateness beside whatever the process does: a sampler that looks every `samplerMs`, and a watch for
 * the runs. With `keeps: false` nothing is sampled and nothing written; what is known can still be asked.
 */
export function startLateness(
  { catalog, source, clock }: Pick<Engine, 'catalog' | 'source' | 'clock'>,
  { samplerMs, keeps }: { readonly samplerMs: number; readonly keeps: boolean },
): Lateness {
  const sampler = createSampler({ catalog, source, samplerMs })
  const longestTransactionUs = async (): Promise<bigint | undefined> => {
    const scope = samplerScope(await source.identity())
    return (await loadSamplerHistory(catalog, scope, catalog.nowUs(), KEPT_DAYS)).longestUs
  }
  if (keeps) sampler.start()
  return { watch: createLatenessWatch({ catalog, clock, sampler, longestTransactionUs }), stop: sampler.stop }
}
