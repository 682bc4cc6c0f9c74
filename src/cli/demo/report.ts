import type { Colour } from '../render/colour.ts'
import { formatCount, plural } from '../render/quantity.ts'
import { renderFields, renderTable } from '../render/table.ts'
import type { CopyResult, DemoResult, Verdict } from './result.ts'

/** One calm screen: what happened, the table, why, and the claim. */
export function renderReport(result: DemoResult, colour: Colour): string {
  return [
    renderDay(result),
    '',
    renderCopies(result, colour),
    '',
    renderReasons(result),
    '',
    renderClaim(result),
    '',
    renderVerdict(result.verdict, colour),
  ].join('\n')
}

function renderDay(result: DemoResult): string {
  const { transactions, rolled_back, committed_late, hold_seconds } = result
  return [
    `Black Friday in shop.sqlite: ${result.seconds} s, ${result.writer_processes} writing processes, stamps in whole seconds, seed ${result.seed}`,
    `${plural(transactions, 'transaction')}, ${formatCount(rolled_back)} of them rolled back, ${formatCount(committed_late)} committed ${hold_seconds} s after their first stamp`,
    `${plural(result.extractions, 'extraction')}, each by every strategy at the same moment, the last ones after the day was over`,
  ].join('\n')
}

function renderCopies({ copies, plimsoll, source_rows }: DemoResult, colour: Colour): string {
  const cells = (copy: CopyResult): string[] => [
    copy.title,
    ...[copy.lost, copy.duplicated, copy.stale].map((count) =>
      count > 0 ? colour.red(formatCount(count)) : formatCount(count),
    ),
    formatCount(copy.rows_read),
  ]
  const head = ['updated_at', 'lost', 'duplicated', 'stale', 'rows read']
  const [first = '', ...others] = cells(plimsoll)
  const table = renderTable(head, [...copies.map(cells), [colour.bold(first), ...others]], [1, 2, 3, 4])
  return `${table}\nEach copy was compared value by value with the ${plural(source_rows, 'row')} of the source.`
}

function renderReasons({ copies, plimsoll, held, extractions, seconds }: DemoResult): string {
  const waited = held > 0 ? `\nin ${plural(held, 'extraction')} its watermark waited for one` : ''
  const fields = [...copies, { ...plimsoll, why: plimsoll.why + waited }].map(
    ({ title, usage, why }) => [title, `${usage}:\n${why}`] as const,
  )
  return [
    renderFields(fields),
    '',
    `Time is short here: ${extractions} extractions in ${seconds} s, not one a minute, and a lag of seconds, not of minutes.`,
    'What one extraction loses is the same. The writes follow from the seed, their moments are real.',
  ].join('\n')
}

function renderClaim({ claim }: DemoResult): string {
  if (!claim) return 'Plimsoll claims nothing.'
  const reason = claim.reason === '' ? '' : `:\n${claim.reason}`
  return `Plimsoll’s claim: complete below ${claim.watermark}, ${claim.proof}${reason}`
}

const VERDICTS: Readonly<Record<Verdict, readonly ['red' | 'green', string]>> = {
  shown: ['green', 'Plimsoll’s copy is the source, row for row.'],
  plimsoll_failed: [
    'red',
    'FAILED: Plimsoll’s copy is not the source. This is a defect; please report it with the seed.',
  ],
  nothing_shown: [
    'red',
    'FAILED: no usual strategy lost a row this time, so the demo showed nothing. Try more --seconds or another --seed.',
  ],
}

function renderVerdict(verdict: Verdict, colour: Colour): string {
  const [name, text] = VERDICTS[verdict]
  return colour[name](text)
}
