/** `12,004` */
export const amount = (count: number | bigint): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/** `3 rows`, `1 row` */
export const rows = (count: number): string => `${amount(count)} ${count === 1 ? 'row' : 'rows'}`

const UNITS = [
  ['d', 86_400_000_000n],
  ['h', 3_600_000_000n],
  ['min', 60_000_000n],
  ['s', 1_000_000n],
] as const

/** A length of time in its two largest units: `3 min 20 s`; below a minute in seconds or milliseconds. */
export function duration(us: bigint): string {
  const [sign, rest] = us < 0n ? ['-', -us] : ['', us]
  if (rest < 1_000_000n) return `${sign}${fixed(Number(rest) / 1e3)} ms`
  if (rest < 60_000_000n) return `${sign}${fixed(Number(rest) / 1e6)} s`
  const at = UNITS.findIndex(([, size]) => rest >= size)
  const [large, small] = [UNITS[at]!, UNITS[at + 1]!]
  const first = `${sign}${rest / large[1]} ${large[0]}`
  const second = (rest % large[1]) / small[1]
  return second === 0n ? first : `${first} ${second} ${small[0]}`
}

/** A length of time as the configuration writes it, rounded up to whole seconds: `90s`, `15m`. */
export function setting(us: bigint): string {
  const seconds = (us + 999_999n) / 1_000_000n
  return seconds % 60n === 0n && seconds > 0n ? `${seconds / 60n}m` : `${seconds}s`
}

/** Three digits that count; what is below a millionth is nothing. */
export function figure(number: number): string {
  if (number >= 1_000) return amount(Math.round(number))
  return number < 1e-6 ? '0' : String(Number(number.toPrecision(3)))
}

const fixed = (number: number): string => String(Number(number.toFixed(number < 10 ? 1 : 0)))

/** A word for a shell. */
export const shellWord = (text: string): string =>
  /^[\w.@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** A word for YAML, within braces. */
export const yamlWord = (text: string): string =>
  /^[A-Za-z_][\w/-]*$/.test(text) ? text : JSON.stringify(text)
