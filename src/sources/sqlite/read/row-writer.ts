import { PlimsollError } from '../../../kernel/errors.ts'
import { quoteIdentifier, quoteTable } from '../../../kernel/sql-text.ts'
import { csvField } from '../../csv.ts'
import type { ColumnShape, TableRef } from '../../source.ts'
import type { Db } from '../connection.ts'
import { encoderOf, isPlainText, quickFieldOf, type Value } from './encode.ts'

const SHOWN_CHARACTERS = 200

/** How the rows of one table are read and written; where there is no key, the first value of a row is its rowid. */
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
  const { table, columns, key, asText } = request
  const locator = locatorOf(request)
  const names = columns.map((column) => quoteIdentifier(column.name))
  const quickFields = columns.map((column) => quickFieldOf(column.type, asText.includes(column.name)))
  const encoders = columns.map((column) => encoderOf(column.type, asText.includes(column.name)))
  const first = locator.rowid === undefined ? 0 : 1
  const keyPlaces = key.map((name) => first + columns.findIndex((column) => column.name === name))
  const isExact = textCheck(db, request, locator)
  const end = first + columns.length

  const refuse = (row: readonly Value[], column: ColumnShape, value: Stored, why: string): never => {
    const where = locator.names
      .map((name, i) => `${name} ${show(row[locator.places[i]!] ?? null)}`)
      .join(', ')
    const text = show(value)
    throw new PlimsollError(
      'VALUE_NOT_REPRESENTABLE',
      `${table.name}.${column.name}, ${where || 'a row without key'}: ${why}: ${text}`,
      {
        hint: `Correct the value at the source, or read the column as text: columns: { ${column.name}: text }.`,
        context: { table: table.name, column: column.name, row: where, text },
      },
    )
  }
  const exactText = (row: readonly Value[], place: number, value: Stored): string => {
    const column = columns[place - first]!
    const encoded = encoders[place - first]!(value)
    if (encoded === undefined) return refuse(row, column, value, misfit(column, value))
    if (typeof value === 'string' && !isPlainText(value) && !isExact(row, column, value)) {
      return refuse(row, column, value, 'a text with a NUL or bytes that are no UTF-8')
    }
    return encoded
  }
  return {
    selectList: [...(locator.rowid === undefined ? [] : [locator.rowid]), ...names].join(', '),
    line(row) {
      let line = ''
      for (let place = first; place < end; place++) {
        if (place > first) line += ','
        const value = row[place]!
        if (value === null) continue
        line += quickFields[place - first]!(value) ?? csvField(exactText(row, place, value))
      }
      return `${line}\n`
    },
    keyOf: (row) => keyPlaces.map((place) => exactText(row, place, row[place] as Stored)),
  }
}

type Stored = Exclude<Value, null>

/** By which columns a row is named and found again: its key, or its rowid, which is then read before the columns. */
interface Locator {
  readonly rowid: string | undefined
  readonly names: readonly string[]
  readonly places: readonly number[]
}

function locatorOf({ columns, key, rowidName }: WriterRequest): Locator {
  if (key.length === 0 && rowidName !== undefined) {
    return { rowid: rowidName, names: [rowidName], places: [0] }
  }
  const places = key.map((name) => columns.findIndex((column) => column.name === name))
  return { rowid: undefined, names: key, places }
}

/** Tells a stored U+FFFD from the driver's substitute for bytes that are no UTF-8, by the bytes themselves. */
function textCheck(db: Db, { table }: WriterRequest, { names, places }: Locator) {
  const encoding = String(db.pragma('encoding', { simple: true })) === 'UTF-16le' ? 'utf16le' : 'utf8'
  const where = names.map((name) => `${quoteIdentifier(name)} IS ?`).join(' AND ')
  return (row: readonly Value[], column: ColumnShape, value: string): boolean => {
    if (value.includes('\0') || names.length === 0) return false
    const sql = `SELECT CAST(${quoteIdentifier(column.name)} AS BLOB) FROM ${quoteTable(table)} WHERE ${where}`
    const bytes = db
      .prepare(sql)
      .pluck()
      .get(...places.map((place) => row[place])) as Buffer | undefined
    return bytes?.equals(Buffer.from(value, encoding)) ?? false
  }
}

function misfit({ type, nativeType }: ColumnShape, value: Stored): string {
  const declared = nativeType === '' ? 'a column without a type' : nativeType
  const digits = type.name === 'numeric' && typeof value !== 'string' && !Buffer.isBuffer(value)
  return digits ? `more digits than ${declared}` : `${classOf(value)} in ${declared}, read as ${type.name}`
}

function classOf(value: Stored): string {
  if (typeof value === 'bigint') return 'an integer'
  if (typeof value === 'number') return 'a float'
  return typeof value === 'string' ? 'a text' : 'a blob'
}

function show(value: Value): string {
  const text = Buffer.isBuffer(value) ? `x'${value.toString('hex', 0, SHOWN_CHARACTERS)}'` : String(value)
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
