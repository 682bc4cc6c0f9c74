import type { ComparisonPlan } from '../kernel/fingerprint/comparison.ts'
import { makeComparisonPlan } from '../kernel/fingerprint/make-plan.ts'
import type { TableShape } from '../sources/source.ts'
import type { Choice } from './choose.ts'
import type { Engine } from './engine.ts'
import type { StreamSettings } from './settings.ts'

/** How a stream's two sides are compared: as its columns land at this destination (fingerprint F6, F7). */
export async function comparisonPlan(
  engine: Pick<Engine, 'destination' | 'digest'>,
  settings: StreamSettings,
  shape: TableShape,
  choice: Choice,
): Promise<ComparisonPlan> {
  return makeComparisonPlan({
    shape,
    key: choice.key,
    order: choice.order,
    asText: settings.asText,
    destinationEngine: (await engine.destination.identity()).engine,
    digestHex: engine.digest,
  })
}
