import { PlimsollError } from '../../../kernel/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import { csvField } from '../../csv.ts'
import type { ColumnShape, TableRef } from '../../source.ts'
import type { Db } from '../connection.ts'
import { type Encoder, encoderOf, isPlainText, type Value } from './encode.ts'

const SHOWN_CHARACTERS = 200

/** How the rows of one table are read and written; the first value of a row is its rowid where there is one. */
export interface RowWriter {
  readonly selectList: string
  /** One line of CSV. Throws VALUE_NOT_REPRESENTABLE, naming column, row and value (spec E75). */
  line(row: readonly Value[]): string
  /** The texts of the key columns. */
  keyOf(row: readonly Value[]): readonly string[]
}

export interface WriterRequest {
  readonly table: TableRef
  readonly columns: readonly ColumnShape[]
  readonly key: readonly string[]
  readonly asText: readonly string[]
  /** `rowid` or one of its other names; undefined for views and tables WITHOUT ROWID. */
  readonly rowidName: string | undefined
}

export function createRowWriter(db: Db, request: WriterRequest): RowWriter {
  const { table, columns, key, rowidName } = request
  const names = columns.map((column) => quoteIdentifier(column.name))
  const encoders = columns.map((column) => encoderOf(column.type, request.asText.includes(column.name)))
  const keyPlaces = key.map((name) => columns.findIndex((column) => column.name === name) + 1)
  const isExact = textCheck(db, request)
  const count = columns.length

  const refuse = (row: readonly Value[], i: number, value: Exclude<Value, null>, why: string): never => {
    const column = columns[i]!
    const where = rowidName === undefined ? `key ${keyText(row)}` : `rowid ${row[0]}`
    const text = show(value)
    throw new PlimsollError(
      'VALUE_NOT_REPRESENTABLE',
      `${table.name}.${column.name}, ${where}: ${why}: ${text}`,
      {
        hint: `Correct the value at the source, or read the column as text: columns: { ${column.name}: text }.`,
        context: { table: table.name, column: column.name, key: keyText(row), rowid: rowidText(row), text },
      },
    )
  }
  const rowidText = (row: readonly Value[]): string | null => (rowidName ? String(row[0]) : null)
  const keyText = (row: readonly Value[]): string =>
    JSON.stringify(keyPlaces.map((place) => (row[place] === null ? null : show(row[place]!))))
  const text = (row: readonly Value[], i: number, value: Exclude<Value, null>): string => {
    const encoded = (encoders[i] as Encoder)(value)
    if (encoded === undefined) return refuse(row, i, value, misfit(columns[i]!, value))
    if (typeof value === 'string' && !isPlainText(value) && !isExact(row, i, value)) {
      return refuse(row, i, value, 'a text with a NUL or bytes that are no UTF-8')
    }
    return encoded
  }
  return {
    selectList: [rowidName ?? 'NULL', ...names].join(', '),
    line(row) {
      let line = ''
      for (let i = 0; i < count; i++) {
        if (i > 0) line += ','
        const value = row[i + 1]!
        if (value !== null) line += csvField(text(row, i, value))
      }
      return `${line}\n`
    },
    keyOf: (row) => keyPlaces.map((place) => text(row, place - 1, row[place] as Exclude<Value, null>)),
  }
}

/** Tells a stored U+FFFD from the driver's substitute for bytes that are no UTF-8, by the bytes themselves. */
function textCheck(db: Db, request: WriterRequest) {
  const encoding = String(db.pragma('encoding', { simple: true })) === 'UTF-16le' ? 'utf16le' : 'utf8'
  const locator = request.rowidName ? [request.rowidName] : request.key.map(quoteIdentifier)
  return (row: readonly Value[], i: number, value: string): boolean => {
    if (value.includes('\0') || locator.length === 0) return false
    const places = request.rowidName
      ? [0]
      : request.key.map((name) => request.columns.findIndex((c) => c.name === name) + 1)
    const where = locator.map((name) => `${name} IS ?`).join(' AND ')
    const column = quoteIdentifier(request.columns[i]!.name)
    const sql = `SELECT CAST(${column} AS BLOB) FROM ${quoteTable(request.table)} WHERE ${where}`
    const bytes = db
      .prepare(sql)
      .pluck()
      .get(...places.map((place) => row[place])) as Buffer | undefined
    return bytes?.equals(Buffer.from(value, encoding)) ?? false
  }
}

function misfit({ type, nativeType }: ColumnShape, value: Exclude<Value, null>): string {
  const declared = nativeType === '' ? 'a column without a type' : nativeType
  const digits = type.name === 'numeric' && typeof value !== 'string' && !Buffer.isBuffer(value)
  return digits ? `more digits than ${declared}` : `${classOf(value)} in ${declared}, read as ${type.name}`
}

function classOf(value: Exclude<Value, null>): string {
  if (typeof value === 'bigint') return 'an integer'
  if (typeof value === 'number') return 'a float'
  return typeof value === 'string' ? 'a text' : 'a blob'
}

function show(value: Exclude<Value, null>): string {
  const text = Buffer.isBuffer(value) ? `x'${value.toString('hex', 0, SHOWN_CHARACTERS)}'` : String(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
