import type { PositionOrder } from './order.ts'

/** A regular expression, in the common subset of all engines, that texts in the order's encoding match (spec E7, E43). */
export function encodingPattern(order: PositionOrder): string | undefined {
  if (order.kind !== 'text') return undefined
  if (order.encoding === 'ulid') return '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'
  if (order.encoding === 'uuidv7') return '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$'
  const digits = (order.template ?? '').replace(/[YMDHS]/g, '[0-9]').replaceAll('.', '\\.')
  return `^${digits}$`
}
