import { canonicalText } from './canonical-text.ts'
import type { CanonicalType } from './comparison.ts'
import { floatFromBits } from './float-bits.ts'
import { formatDay, formatMoment } from './wire-moment.ts'
import type { Digest } from './words.ts'

/** The key text of a row from its key's wire texts (spec F4). */
export function encodeKeyText(
  types: readonly CanonicalType[],
  key: readonly (string | null)[],
  digest: Digest,
): string {
  return types.map((type, i) => canonicalText(type, key[i] ?? null, digest)).join(';')
}

/**
 * The key's wire texts again, so that a key found on one side can be looked up on the other; undefined where a value is
 * known by its hash only, or has a form that no literal gives back.
 */
export function decodeKeyText(
  types: readonly CanonicalType[],
  keyText: string,
): readonly (string | null)[] | undefined {
  const key: (string | null)[] = []
  let rest = keyText
  for (const [i, type] of types.entries()) {
    const taken = takeText(type, rest)
    if (!taken) return undefined
    const value = wireOf(type, taken.text)
    if (value === undefined) return undefined
    key.push(value)
    const isLast = i === types.length - 1
    rest = taken.rest
    if (isLast ? rest !== '' : !rest.startsWith(';')) return undefined
    rest = rest.slice(1)
  }
  return key
}

interface Taken {
  readonly text: string
  readonly rest: string
}

/** The canonical text at the beginning of `rest`: free forms by their length, fixed ones up to the next `;`. */
function takeText(type: CanonicalType, rest: string): Taken | undefined {
  const free = /^v(\d+):/.exec(rest)
  if (free) {
    const byteSize = Number(free[1])
    const start = free[0].length
    const end = type.name === 'bytes' ? start + 2 * byteSize : endOfBytes(rest, start, byteSize)
    return end === undefined ? undefined : { text: rest.slice(0, end), rest: rest.slice(end) }
  }
  const end = rest.indexOf(';')
  return end < 0 ? { text: rest, rest: '' } : { text: rest.slice(0, end), rest: rest.slice(end) }
}

/** Where `byteSize` UTF-8 bytes end, counted from `start`. */
function endOfBytes(text: string, start: number, byteSize: number): number | undefined {
  let bytes = 0
  let at = start
  while (bytes < byteSize && at < text.length) {
    const point = text.codePointAt(at)!
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
    at += point < 0x10000 ? 1 : 2
  }
  return bytes === byteSize ? at : undefined
}

function wireOf(type: CanonicalType, text: string): string | null | undefined {
  if (text === 'N') return null
  if (text.startsWith('w')) return undefined
  if (text.startsWith('z')) return /^z-?infinity$/.test(text) ? text.slice(1) : undefined
  switch (type.name) {
    case 'boolean':
      return text === '1' ? 't' : 'f'
    case 'instant':
    case 'wall_time':
      return formatMoment(BigInt(text))
    case 'date':
      return formatDay(BigInt(text))
    case 'time':
      return clockOf(BigInt(text))
    case 'float8':
    case 'float4':
      return floatFromBits(text, type.name)
    case 'bytes':
      return `\\x${text.slice(text.indexOf(':') + 1)}`
    case 'text':
    case 'char':
    case 'json':
    case 'printed':
      return text.slice(text.indexOf(':') + 1)
    case 'interval':
    case 'list':
      return undefined
    default:
      return text
  }
}

function clockOf(us: bigint): string {
  const seconds = us / 1_000_000n
  const two = (value: bigint): string => String(value).padStart(2, '0')
  const clock = `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`
  return `${clock}.${String(us % 1_000_000n).padStart(6, '0')}`
}
