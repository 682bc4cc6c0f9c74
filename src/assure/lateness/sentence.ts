import type { BeyondMax } from '../../kernel/forecast/margin.ts'

/** Why waiting cannot do it, with both numbers (load-forecast L18). */
export function beyondMaxSentence({ lossWanted, marginWanted, max, lossAtMax }: BeyondMax): string {
  const wanted = Number.isFinite(marginWanted)
    ? `the overlap would have to be ${inWords(marginWanted)}`
    : 'no overlap would be long enough'
  return `to lose less than ${lossWanted} rows a run by waiting, ${wanted}; use a fence. At its max of ${inWords(max)} it loses ${rows(lossAtMax)} a run.`
}

const UNITS = [
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

function inWords(seconds: number): string {
  const [word, size] = UNITS.find((unit) => seconds >= 2 * unit[1]) ?? UNITS[2]
  const amount = seconds / size
  const text = amount >= 10 ? String(Math.round(amount)) : String(Number(amount.toPrecision(2)))
  return `${text} ${word}${text === '1' ? '' : 's'}`
}

const rows = (count: number): string =>
  Number.isFinite(count) ? `${Number(count.toPrecision(3))} rows` : 'rows without bound'
