import type { EpochUnit } from '../../../kernel/order.ts'

/** What an expression that reads the clock makes of it. */
export type ClockEvidence =
  | { readonly kind: 'text'; readonly template: string | undefined; readonly local: boolean }
  | { readonly kind: 'epoch'; readonly unit: EpochUnit; readonly local: boolean }

/** Reads `CURRENT_TIMESTAMP`, `datetime('now')`, `strftime(…)`, `unixepoch()` in a default or trigger; undefined for none. */
export function readClock(expression: string): ClockEvidence | undefined {
  const local = /'localtime'/i.test(expression)
  if (/\bunixepoch\s*\(|\bstrftime\s*\(\s*'%s'/i.test(expression)) {
    return { kind: 'epoch', unit: unitOf(expression), local }
  }
  if (/\bcurrent_timestamp\b/i.test(expression)) {
    return { kind: 'text', template: 'YYYY-MM-DD HH:MM:SS', local: false }
  }
  if (/\bcurrent_date\b/i.test(expression)) return { kind: 'text', template: 'YYYY-MM-DD', local: false }
  const format = /\bstrftime\s*\(\s*'([^']*)'\s*(?:,\s*'now'|\))/i.exec(expression)
  if (format) return { kind: 'text', template: templateOfFormat(format[1]!), local }
  if (/\bdatetime\s*\(\s*(?:'now'|\))/i.test(expression)) {
    const fraction = /'subsec(ond)?'/i.test(expression) ? '.SSS' : ''
    return { kind: 'text', template: `YYYY-MM-DD HH:MM:SS${fraction}`, local }
  }
  if (/\bdate\s*\(\s*(?:'now'|\))/i.test(expression)) return { kind: 'text', template: 'YYYY-MM-DD', local }
  return undefined
}

function unitOf(expression: string): EpochUnit {
  const factor = /\*\s*(1_?000_?000_?000|1_?000_?000|1_?000)\b/.exec(expression)?.[1]?.replaceAll('_', '')
  if (factor === undefined) return 's'
  return factor.length === 4 ? 'ms' : factor.length === 7 ? 'us' : 'ns'
}

const PARTS: Readonly<Record<string, string>> = {
  '%Y': 'YYYY',
  '%m': 'MM',
  '%d': 'DD',
  '%H': 'HH',
  '%M': 'MM',
  '%S': 'SS',
  '%f': 'SS.SSS',
  '%F': 'YYYY-MM-DD',
  '%T': 'HH:MM:SS',
  '%R': 'HH:MM',
}

function templateOfFormat(format: string): string | undefined {
  const template = format.replaceAll(/%./g, (part) => PARTS[part] ?? part)
  return isTemplate(template) ? template : undefined
}

/** Fixed widths that sort as time does, and that the kernel can write. */
export function isTemplate(template: string): boolean {
  return /^YYYY-MM-DD([ T]HH:MM(:SS(\.S{1,6})?Z?)?)?$/.test(template)
}

/** The template of one value, or undefined when it has none. */
export function templateOfValue(value: string): string | undefined {
  const match = /^\d{4}-[01]\d-[0-3]\d(?:([ T])[0-2]\d:[0-5]\d(?:(:[0-5]\d)(?:\.(\d{1,6}))?(Z)?)?)?$/.exec(
    value,
  )
  if (!match) return undefined
  const [, separator, seconds, fraction, zone = ''] = match
  if (separator === undefined) return 'YYYY-MM-DD'
  const digits = fraction === undefined ? '' : `.${'S'.repeat(fraction.length)}`
  return `YYYY-MM-DD${separator}HH:MM${seconds === undefined ? '' : ':SS'}${digits}${zone}`
}
