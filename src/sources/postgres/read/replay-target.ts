const SHORT_HEADER = 24n
const LONG_HEADER = 40n

/**
 * The position a standby must have replayed to contain everything up to `lsn` (spec E29). The insert position of an
 * idle primary may stand just behind a page's header, which no record ever reaches: then the page's start is enough.
 */
export function replayTarget(lsn: string, blockSize: number, segmentSize: number): string {
  const position = parseLsn(lsn)
  const inPage = position % BigInt(blockSize)
  const firstPage = position % BigInt(segmentSize) === inPage
  const justHeader = inPage === (firstPage ? LONG_HEADER : SHORT_HEADER)
  return formatLsn(justHeader ? position - inPage : position)
}

/** `16/B374D848` as a number. */
export function parseLsn(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

function formatLsn(position: bigint): string {
  const low = position & 0xffffffffn
  return `${(position >> 32n).toString(16)}/${low.toString(16)}`.toUpperCase()
}
