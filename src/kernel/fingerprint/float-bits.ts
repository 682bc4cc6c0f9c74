const view = new DataView(new ArrayBuffer(8))

/** The IEEE bits of a float as hex, big-endian; −0 is 0 and every NaN one NaN (spec F20). */
export function floatBits(wire: string, type: 'float8' | 'float4'): string {
  const value = numberOf(wire)
  if (type === 'float8') {
    if (Number.isNaN(value)) return '7ff8000000000000'
    view.setFloat64(0, value === 0 ? 0 : value)
    return view.getBigUint64(0).toString(16).padStart(16, '0')
  }
  if (Number.isNaN(value)) return '7fc00000'
  view.setFloat32(0, value === 0 ? 0 : value)
  return view.getUint32(0).toString(16).padStart(8, '0')
}

/** The shortest text of the float with these bits, as PostgreSQL reads it. */
export function floatFromBits(bits: string, type: 'float8' | 'float4'): string {
  if (type === 'float8') {
    view.setBigUint64(0, BigInt(`0x${bits}`))
    return String(view.getFloat64(0))
  }
  view.setUint32(0, Number.parseInt(bits, 16))
  return String(view.getFloat32(0))
}

function numberOf(wire: string): number {
  if (/^-?inf(inity)?$/i.test(wire))
    return wire.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  return Number(wire)
}
