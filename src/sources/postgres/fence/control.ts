import type { ConnectorContext } from '../../source.ts'

/** Every value is the server's text, or null. */
export type Row = Readonly<Record<string, string | null>>

/** A session at the primary, in autocommit: inside a transaction the list of sessions would stand still (spec E17). */
export interface ControlConnection {
  /** Undefined where the role may not ask. */
  readonly systemId: string | undefined
  rows(sql: string, values?: readonly (string | null)[]): Promise<Row[]>
}

export interface FencerOptions {
  /** The connection to ask on; another one when it was lost. */
  readonly control: () => Promise<ControlConnection>
  /** Server process ids of our own sessions, which only read (spec E25). */
  readonly ownPids: () => readonly number[]
  readonly context: ConnectorContext
}

/** Exact, for a value that the query never returns as NULL. */
export function bigintOf(row: Row, column: string): bigint {
  return BigInt(row[column] as string)
}

export function isTrue(text: string | null | undefined): boolean {
  return text === 't' || text === 'true'
}

/** Undefined for NULL. */
export function textOf(row: Row, column: string): string | undefined {
  return row[column] ?? undefined
}

export function bigintIfAny(row: Row, column: string): bigint | undefined {
  const text = row[column]
  return text === null || text === undefined ? undefined : BigInt(text)
}

/** `{1,2}`: how an array travels as a parameter. For numbers only. */
export function arrayLiteral(numbers: Iterable<number | string>): string {
  return `{${[...numbers].join(',')}}`
}
