import type { LandingMode, Receipt, StoredClaim, WatermarkRow } from '../../destinations/destination.ts'
import type { Position } from '../../kernel/position.ts'
import type { ColumnShape, TableRef } from '../../sources/source.ts'

export interface StoredRow {
  readonly values: readonly (string | null)[]
  readonly position: Position | undefined
  readonly seq: number
}

/** Versions by key: one in upsert mode, in order of reading in history mode; all rows under one name without a key. */
export type StoredRows = ReadonlyMap<string, readonly StoredRow[]>

export interface StoredTable {
  readonly columns: readonly ColumnShape[]
  readonly asText: readonly string[]
  readonly mode: LandingMode
  readonly rows: StoredRows
}

export interface ClaimEntry {
  readonly claim: StoredClaim
  /** The receipt of the last landing, kept in the claim row (spec E59). */
  readonly receipt: Receipt | undefined
}

/** What a destination has committed: it outlives every process, and nothing else of a destination does. */
export interface ModelStore {
  readonly id: string
  readonly claims: Map<string, ClaimEntry>
  readonly tables: Map<string, StoredTable>
  /** By stream. */
  readonly watermarks: Map<string, WatermarkRow>
}

export function createModelStore(id: string): ModelStore {
  return { id, claims: new Map(), tables: new Map(), watermarks: new Map() }
}

export const tableName = (table: TableRef): string => `${table.schema}.${table.name}`
