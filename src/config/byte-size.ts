const UNIT_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
}

export const BYTE_SIZE = /^\d+(\.\d+)?\s*([KMGT]i?)?B$/i

/** `512MB`, `1.5GiB` as bytes; undefined when it is no size. */
export function parseByteSize(text: string): number | undefined {
  if (!BYTE_SIZE.test(text)) return undefined
  const [, amount, unit] = /^([\d.]+)\s*(\w+)$/.exec(text)!
  const bytes = Math.floor(Number(amount) * UNIT_BYTES[unit!.toUpperCase()]!)
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined
}
