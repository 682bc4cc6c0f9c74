import type { PositionKind } from './position.ts'

export type Stamper = 'database' | 'application' | 'unknown'
export type EpochUnit = 's' | 'ms' | 'us' | 'ns'
export type TextEncoding = 'iso' | 'ulid' | 'uuidv7'

/**
 * How a table is ordered: its position column, with everything a bound needs to be computed (spec E1, E5, E6).
 * Amounts are in position units: µs for timestamps, dates and text encodings; 1 for sequences and xid8;
 * the unit for epochs.
 */
export interface PositionOrder {
  readonly column: string
  readonly kind: PositionKind
  /** Integers only: a counter, or a moment counted in `unit`. */
  readonly flavour?: 'sequence' | 'epoch'
  readonly unit?: EpochUnit
  /** Text only. */
  readonly encoding?: TextEncoding
  /** Text `iso` only: the fixed width template, e.g. `YYYY-MM-DD HH:MM:SS.SSS` or `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly template?: string
  /** IANA name; `timestamp` and `date` only. */
  readonly zone?: string
  readonly collation?: string
  /** Smallest step of the column, in position units. */
  readonly tick: bigint
  /** What every bound is floored to: a multiple of tick. */
  readonly grain: bigint
  /**
   * Set where stamps are cut to steps that do not begin at multiples of their size (an hour of +05:30, a day of New
   * York): a stamp may lie this far below its instant, so the fence goes that much lower before it is floored.
   */
  readonly truncation?: bigint
  readonly stampedBy: Stamper
}
