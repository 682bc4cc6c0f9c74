import type { Failpoint } from '../../kernel/failpoint.ts'
import type { LoadKind, LoadOutcome, LoadWrite } from '../../sources/load.ts'
import type { PlanHead } from './plan.ts'

/** `[key, version]`. */
export type Landed = readonly [key: string, version: string]

/** What happened, in lines; the judgement is a function of nothing else (assurance A51). Instants are µs, by the source's clock. */
export type HistoryEvent =
  | { readonly kind: 'head'; readonly head: PlanHead; readonly planned: number }
  | TransactionEvent
  | ReadEvent
  | RunEvent
  | { readonly kind: 'kill'; readonly failpoint: Failpoint; readonly died: boolean }
  /** The source when all writers have ended and one more run has passed. */
  | { readonly kind: 'truth'; readonly rows: readonly (readonly [string, string, string])[] }
  /** What stands at Plimsoll's destination, a row for a row. */
  | { readonly kind: 'copy'; readonly watermarkUs: string | null; readonly rows: readonly Landed[] }
  /** What Plimsoll's own audit named afterwards. */
  | { readonly kind: 'audit'; readonly named: readonly AuditNamed[]; readonly notLooked: string | null }

export interface TransactionEvent {
  readonly kind: 'transaction'
  readonly actor: number
  readonly n: number
  readonly tag: LoadKind
  readonly outcome: LoadOutcome['outcome']
  readonly beganUs: string
  readonly endedUs: string
  readonly writes: readonly (readonly [LoadWrite['op'], string, string, string])[]
}

/** One run of a naive reader: `landed` are versions it had never read before, `again` those it had. */
export interface ReadEvent {
  readonly kind: 'read'
  readonly reader: string
  readonly atUs: string
  readonly markUs: string | null
  readonly pages: number
  readonly again: number
  readonly landed: readonly Landed[]
}

/** One run of Plimsoll as its record tells it. */
export interface RunEvent {
  readonly kind: 'run'
  readonly outcome: string
  readonly closedUs: string
  readonly watermarkUs: string | null
  readonly rowsRead: number
}

export interface AuditNamed {
  readonly key: string
  readonly verdict: string
  readonly mechanism: string
}

/** A history as it grows: in memory for the judgement, a line each in the file. */
export interface History {
  readonly events: readonly HistoryEvent[]
  add(event: HistoryEvent): void
}

export const historyLine = (event: HistoryEvent): string => `${JSON.stringify(event)}\n`

/** Reads a history back. */
export function historyFromText(text: string): readonly HistoryEvent[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as HistoryEvent)
}
