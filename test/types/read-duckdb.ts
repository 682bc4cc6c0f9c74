import {
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBInstance,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import { quoteIdentifier, quoteLiteral } from '../../src/kernel/sql-text.ts'

/** One value of a DuckDB file: its column's type, and the value as the driver hands it out. */
export interface Held {
  readonly type: string
  readonly value: DuckDBValue
}

/** All rows of a table by their `id`, each column by its name. The file must not be open in the engine. */
export async function readDuckdb(file: string, table: string): Promise<Map<number, Record<string, Held>>> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  try {
    const described = await connection.runAndReadAll(`DESCRIBE ${table}`)
    const columns = described.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }))
    const picks = columns.map(({ name, type }) => pick(quoteIdentifier(name), type))
    const read = await connection.runAndReadAll(`SELECT ${picks.join(', ')} FROM ${table}`)
    const rows = read.getRows().map((values) => {
      const held = columns.map(
        ({ name, type }, i) => [name, { type, value: decode(type, values[i]!) }] as const,
      )
      return Object.fromEntries(held)
    })
    return new Map(rows.map((row) => [Number(row.id!.value), row]))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const isText = (type: string): boolean => type === 'VARCHAR' || type === 'JSON'

/** Texts come as bytes: the driver's own texts lose a byte order mark they begin with. */
const pick = (column: string, type: string): string => (isText(type) ? `encode(${column}::VARCHAR)` : column)

const decode = (type: string, value: DuckDBValue): DuckDBValue =>
  isText(type) && value instanceof DuckDBBlobValue ? Buffer.from(value.bytes).toString('utf8') : value

/** The value in words: numbers of µs or days for times, three numbers for an interval, hex for bytes. */
export function tell(value: DuckDBValue): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return value ? 't' : 'f'
  if (Object.is(value, -0)) return '-0'
  if (value instanceof DuckDBListValue) return `[${value.items.map(tell).join(', ')}]`
  if (value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue) {
    return infinity(value) ?? String(value.micros)
  }
  if (value instanceof DuckDBDateValue) return infinity(value) ?? String(value.days)
  if (value instanceof DuckDBTimeValue) return String(value.micros)
  if (value instanceof DuckDBIntervalValue) return `${value.months} ${value.days} ${value.micros}`
  if (value instanceof DuckDBDecimalValue) return decimal(value)
  if (value instanceof DuckDBBlobValue) return `\\x${Buffer.from(value.bytes).toString('hex')}`
  return String(value)
}

function infinity(
  value: DuckDBTimestampTZValue | DuckDBTimestampValue | DuckDBDateValue,
): string | undefined {
  if (value.isFinite) return undefined
  const size = value instanceof DuckDBDateValue ? value.days : value.micros
  return size > 0 ? 'infinity' : '-infinity'
}

function decimal({ value, scale }: DuckDBDecimalValue): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0')
  const sign = value < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** A SQL expression by which PostgreSQL makes the value again, of the type it had there. */
export function backToPostgres(value: DuckDBValue, type: string): string {
  return `(${expression(value)})::${type}`
}

function expression(value: DuckDBValue): string {
  if (value === null) return 'NULL'
  if (value instanceof DuckDBListValue) {
    return value.items.length === 0 ? `'{}'` : `ARRAY[${value.items.map(expression).join(', ')}]`
  }
  const text = tell(value)
  if (text.endsWith('infinity')) return quoteLiteral(text)
  if (value instanceof DuckDBTimestampTZValue) return `timestamptz 'epoch' + interval '${text} microseconds'`
  if (value instanceof DuckDBTimestampValue) return `timestamp 'epoch' + interval '${text} microseconds'`
  if (value instanceof DuckDBDateValue) return `date '1970-01-01' + ${text}`
  if (value instanceof DuckDBTimeValue) return quoteLiteral(timeOfDay(value.micros))
  if (value instanceof DuckDBIntervalValue) {
    return `interval '${value.months} mons ${value.days} days ${value.micros} microseconds'`
  }
  return quoteLiteral(text)
}

function timeOfDay(micros: bigint): string {
  const [hours, rest] = [micros / 3_600_000_000n, micros % 3_600_000_000n]
  const seconds = `${(rest % 60_000_000n) / 1_000_000n}.${String(rest % 1_000_000n).padStart(6, '0')}`
  return `${hours}:${rest / 60_000_000n}:${seconds}`
}
