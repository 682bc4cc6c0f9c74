import type { Position } from './position.ts'
import type { ProofLevel } from './proof.ts'

/**
 * "Every row with position < watermark has been landed", and how sure that is. `watermark` is absent until the
 * first range of a generation has landed: absence is a state, not a value (spec E2).
 */
export interface Claim {
  readonly stream: string
  readonly generation: number
  readonly watermark: Position | undefined
  readonly proof: ProofLevel
}
