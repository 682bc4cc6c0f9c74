import type { PositionOrder } from './order.ts'

/**
 * A regular expression, in the common subset of all engines, that texts in the order's encoding match (spec E7, E43).
 * The same for source, destination and program: what is `malformed` for one has no place in the order for all.
 */
export function encodingPattern(order: PositionOrder): string | undefined {
  if (order.kind !== 'text') return undefined
  if (order.encoding === 'ulid') return '^[0-7][0-9A-HJKMNP-TV-Z]{25}$'
  if (order.encoding === 'uuidv7') return '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$'
  return isoPattern(order.template ?? '')
}

function isoPattern(template: string): string {
  const [date, clock] = [template.slice(0, 10), template.slice(10)]
  const day = date.replace('YYYY', '[0-9]{4}').replace('MM', '[01][0-9]').replace('DD', '[0-3][0-9]')
  const time = clock
    .replace('HH', '[0-2][0-9]')
    .replace('MM', '[0-5][0-9]')
    .replace(':SS', ':[0-5][0-9]')
    .replace(/\.(S+)/, (_, digits: string) => `[.][0-9]{${digits.length}}`)
  return `^${day}${time}$`
}
