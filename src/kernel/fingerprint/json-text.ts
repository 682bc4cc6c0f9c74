/**
 * Canonical JSON (spec F23): members by the UTF-8 bytes of their names, a repeated name keeps its last value, no white space,
 * numbers exactly, as a whole mantissa without zeros at its end, `e`, exponent. Undefined for a text that is no JSON. Two
 * texts that mean one value have one canonical text, where JSON.parse would round numbers.
 */
export function canonicalJsonText(text: string): string | undefined {
  const tokens = tokensOf(text)
  if (!tokens) return undefined
  const reading = { tokens, at: 0 }
  const value = readValue(reading)
  return value !== undefined && reading.at === tokens.length ? value : undefined
}

interface Reading {
  readonly tokens: readonly string[]
  at: number
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{},:])/y

function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text)
    if (!match) return undefined
    tokens.push(match[1]!)
  }
  return tokens
}

function readValue(reading: Reading): string | undefined {
  const token = reading.tokens[reading.at++]
  if (token === undefined) return undefined
  if (token === '{') return readObject(reading)
  if (token === '[') return readArray(reading)
  if (token.startsWith('"')) return readText(token)
  if (/^[-\d]/.test(token)) return readNumber(token)
  return /^(true|false|null)$/.test(token) ? token : undefined
}

function readArray(reading: Reading): string | undefined {
  const items: string[] = []
  if (take(reading, ']')) return '[]'
  for (;;) {
    const item = readValue(reading)
    if (item === undefined) return undefined
    items.push(item)
    if (take(reading, ']')) return `[${items.join(',')}]`
    if (!take(reading, ',')) return undefined
  }
}

function readObject(reading: Reading): string | undefined {
  const members = new Map<string, string>()
  if (take(reading, '}')) return '{}'
  for (;;) {
    const token = reading.tokens[reading.at++]
    const name = token?.startsWith('"') ? readText(token) : undefined
    if (name === undefined || !take(reading, ':')) return undefined
    const value = readValue(reading)
    if (value === undefined) return undefined
    members.set(name, value)
    if (take(reading, '}')) return printed(members)
    if (!take(reading, ',')) return undefined
  }
}

function take(reading: Reading, token: string): boolean {
  if (reading.tokens[reading.at] !== token) return false
  reading.at++
  return true
}

function printed(members: ReadonlyMap<string, string>): string {
  const sorted = [...members].sort(([a], [b]) => compareBytes(JSON.parse(a), JSON.parse(b)))
  return `{${sorted.map(([name, value]) => `${name}:${value}`).join(',')}}`
}

/** Undefined for an escape that JSON does not know. */
function readText(token: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(token))
  } catch {
    return undefined
  }
}

function readNumber(token: string): string | undefined {
  const match = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const mantissa = digits.replace(/0+$/, '')
  if (mantissa === '') return '0'
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - mantissa.length)
  return `${sign}${mantissa}e${power}`
}

const encoder = new TextEncoder()

function compareBytes(a: string, b: string): number {
  const [x, y] = [encoder.encode(a), encoder.encode(b)]
  const length = Math.min(x.length, y.length)
  for (let i = 0; i < length; i++) if (x[i] !== y[i]) return x[i]! - y[i]!
  return x.length - y.length
}
