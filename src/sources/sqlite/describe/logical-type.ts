import type { LogicalType } from '../../../kernel/types.ts'

export type Affinity = 'INTEGER' | 'TEXT' | 'BLOB' | 'REAL' | 'NUMERIC'

/** The affinity SQLite derives from a declared type, by its own rules in their order. */
export function affinityOf(declared: string): Affinity {
  const type = declared.toUpperCase()
  if (type.includes('INT')) return 'INTEGER'
  if (/CHAR|CLOB|TEXT/.test(type)) return 'TEXT'
  if (type === '' || type.includes('BLOB')) return 'BLOB'
  if (/REAL|FLOA|DOUB/.test(type)) return 'REAL'
  return 'NUMERIC'
}

/**
 * What a declared type promises of its values (spec E75), or undefined when it promises nothing: no type, `ANY`, and names that SQLite
 * merely takes for numbers (`DATETIME`, `UUID`, `STRING`). Then what is stored decides.
 */
export function promisedType(declared: string): LogicalType | undefined {
  const type = declared.trim().toUpperCase()
  if (/^BOOL(EAN)?$/.test(type)) return { name: 'bool' }
  if (type === 'JSON') return { name: 'json' }
  const decimal = /^(?:NUMERIC|DECIMAL|DEC)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?$/.exec(type)
  if (decimal) return numericType(decimal[1], decimal[2])
  switch (affinityOf(type)) {
    case 'INTEGER':
      return { name: 'int8' }
    case 'TEXT':
      return { name: 'text' }
    case 'REAL':
      return { name: 'float8' }
    case 'BLOB':
      return type === '' ? undefined : { name: 'bytes' }
    case 'NUMERIC':
      return undefined
  }
}

function numericType(precision: string | undefined, scale: string | undefined): LogicalType {
  if (precision === undefined) return { name: 'numeric' }
  return { name: 'numeric', precision: Number(precision), scale: Number(scale ?? 0) }
}

/** The type for a stored class, as `typeof` names it. */
export function typeOfClass(storageClass: string | undefined): LogicalType {
  switch (storageClass) {
    case 'integer':
      return { name: 'int8' }
    case 'real':
      return { name: 'float8' }
    case 'blob':
      return { name: 'bytes' }
    default:
      return { name: 'text' }
  }
}
