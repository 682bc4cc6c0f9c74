import type { RecordView } from '../../extract/record-view.ts'
import type { PositionJson } from '../../kernel/position.ts'

/** What the records so far say of a stream: rebuilt from them alone (spec E72). */
export interface ChainState {
  generation: number | undefined
  /** Undefined until a record tells; null: told that there is none. */
  watermark: PositionJson | null | undefined
  /** Where the watermark was told last. */
  toldBy: number
  /** Receipt checks that found the sides unlike, and no clean check of their range since. */
  disagreements: readonly { readonly sequence: number; readonly view: RecordView }[]
  /** Decrees by key. */
  readonly decrees: Map<string, DecreeState>
}

export interface DecreeState {
  readonly sequence: number
  readonly run: string
  /** `void`: its run died, so that no claim may ever have rested on it. */
  state: 'open' | 'paid' | 'void'
}

export function startState(): ChainState {
  return {
    generation: undefined,
    watermark: undefined,
    toldBy: 0,
    disagreements: [],
    decrees: new Map(),
  }
}

export function openDecrees({ decrees }: ChainState): string[] {
  return [...decrees].filter(([, { state }]) => state === 'open').map(([key]) => key)
}
