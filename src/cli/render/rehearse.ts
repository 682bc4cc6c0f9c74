import type { Estimate } from '../../assure/rehearse/estimate.ts'
import type { ForecastRow } from '../../assure/rehearse/forecast-check.ts'
import type { Judged, Rehearsed } from '../../assure/rehearse/judge.ts'
import { boundPerBoundary } from '../../kernel/forecast/evidence.ts'
import type { Planned } from '../rehearse/make-plan.ts'
import type { Performed } from '../rehearse/run-rehearsal.ts'
import type { Colour } from './colour.ts'
import { formatBytes, formatCount, formatMs, plural } from './quantity.ts'
import { renderFields, renderTable } from './table.ts'

export interface Before extends Planned {
  readonly estimate: Estimate
  readonly multiplier: number
}

/** What is going to be written, and how much a rehearsal of this length can show (spec A50, A53). */
export function renderBefore({ plan, long, busiest, estimate, multiplier, settings }: Before): string {
  const { head } = plan
  const from =
    busiest === undefined
      ? 'as given'
      : `${multiplier} times the busiest minute, ${busiest.toFixed(2)} a second`
  const needed = long.readers.map(
    ({ title, expected, boundaries }) => `${title}: ${expected.toPrecision(3)} a boundary, ${boundaries}`,
  )
  const enough =
    estimate.boundaries >= long.boundaries ? 'enough' : `${formatCount(long.boundaries)} would be needed`
  return `rehearsal of ${settings.stream}, seed ${head.seed}\n${renderFields(
    [
      [
        'load',
        `${head.rate.toFixed(1)} rows a second at most (${from}), ${estimate.meanRate.toFixed(1)} in the mean; ${plural(head.actors, 'writer')}`,
      ],
      [
        'writes',
        `${formatCount(estimate.rowsWritten)} rows in ${formatCount(estimate.transactions)} transactions, about ${formatBytes(estimate.bytes)} and ${formatBytes(estimate.logBytes)} of log`,
      ],
      ['time', `${formatMs(head.durationMs)}, and then until the last row is claimed`],
      ['period', `${formatMs(head.periodMs)}: ${formatCount(estimate.boundaries)} boundaries, ${enough}`],
      ['to see a loss', needed.join('\n')],
      ['table', `a stand-in of ${formatCount(head.rows)} rows: the cost of merging is not representative`],
      ...(head.mayPrepare
        ? []
        : [['left out', 'prepared transactions: max_prepared_transactions is 0'] as const]),
    ],
    '  ',
  )}`
}

const HEAD = ['reader', 'lost', 'stale', 'doubled', 'ghost', 'backdated', 'unbumped', 're-read', 'behind']

/** The table of results; it ends with how much it shows (spec A53). */
export function renderRehearsal(
  before: Before,
  { rehearsed, forecast, files }: Performed,
  colour: Colour,
): string {
  const { plimsoll, readers } = rehearsed
  return [
    renderTable(
      HEAD,
      [plimsoll, ...readers].map((each) => cells(each, colour)),
      [1, 2, 3, 4, 5, 6, 7, 8],
    ),
    '',
    renderFields(
      [
        [
          'load',
          `${formatCount(rehearsed.executed)} of ${formatCount(rehearsed.planned)} transactions, ${formatCount(rehearsed.rowsChanged)} rows changed, ${plural(rehearsed.kills, 'SIGKILL')}`,
        ],
        ['audit', auditWords(rehearsed)],
        ['forecast', forecast.map(forecastWords).join('\n')],
        ['history', files.history],
      ],
      '',
    ),
    '',
    verdictWords(before, rehearsed, colour),
    evidenceWords(plimsoll),
  ].join('\n')
}

function cells(judged: Judged, colour: Colour): readonly string[] {
  const { title, lost, stale, duplicated, ghost, backdated, unbumped, reread, behindSeconds } = judged
  const bad = (count: number): string => (count > 0 ? colour.red(formatCount(count)) : formatCount(count))
  return [
    title,
    bad(lost),
    bad(stale),
    formatCount(duplicated),
    formatCount(ghost),
    formatCount(backdated),
    formatCount(unbumped),
    `${reread.toFixed(2)} ×`,
    `${behindSeconds.toFixed(2)} s`,
  ]
}

function auditWords({ unnamed, named, auditNotLooked }: Rehearsed): string {
  if (auditNotLooked !== null) return `could not look: ${auditNotLooked}`
  const missed = unnamed.length === 0 ? '' : `; NOT NAMED: ${unnamed.slice(0, 10).join(', ')}`
  return `named ${named} of ${named + unnamed.length} backdated and unbumped rows that no reader could see${missed}`
}

function forecastWords(row: ForecastRow): string {
  if ('notCovered' in row) return `${row.id}: ${row.notCovered}`
  const { id, rule, expected, least, most, measured } = row
  return `${id}: ${formatCount(measured)} of ${Math.round(expected)} expected by ${rule} (${Math.round(least)} to ${Math.round(most)})`
}

function verdictWords(
  { plan }: Before,
  { verdict, executed, planned, plimsoll }: Rehearsed,
  colour: Colour,
): string {
  if (verdict === 'clean') return colour.green('Plimsoll: 0 lost, 0 stale, 0 doubled.')
  if (verdict === 'inconclusive') {
    const share = ((100 * executed) / planned).toFixed(0)
    return colour.yellow(
      `inconclusive: ${share} % of the rate was reached, with ${plural(plan.head.actors, 'writer')}. A larger server, or a lower --rate.`,
    )
  }
  const { lost, stale, duplicated } = plimsoll
  return colour.red(
    `PLIMSOLL FAILED: ${lost} lost, ${stale} stale, ${duplicated} doubled; see the audit above.`,
  )
}

/** 0 in n says only so much (load-forecast L25). */
function evidenceWords({ boundaries, lost, stale }: Judged): string {
  if (boundaries === 0) return 'no boundary passed'
  const bound = boundPerBoundary(boundaries, Math.min(boundaries, lost + stale))
  return `${formatCount(boundaries)} boundaries: ${lost + stale} lost in ${formatCount(boundaries)}: at most ${bound.toPrecision(3)} a boundary, at this load`
}

/** 3: Plimsoll lost, doubled or left something stale; 4: the rate was not reached (spec A53). */
export function rehearsalExitCode({ verdict }: Rehearsed): number {
  return { clean: 0, failed: 3, inconclusive: 4 }[verdict]
}

export function rehearsalToJson(
  { plan, long, busiest, estimate, multiplier, settings }: Before,
  { rehearsed, forecast, files }: Performed,
): Readonly<Record<string, unknown>> {
  const { plimsoll, readers, ...rest } = rehearsed
  const { boundaries, lost, stale } = plimsoll
  const failures = Math.min(boundaries, lost + stale)
  return {
    verdict: rest.verdict,
    stream: settings.stream,
    seed: plan.head.seed,
    multiplier,
    rate: plan.head.rate,
    busiest_minute_rate: busiest ?? null,
    period_ms: plan.head.periodMs,
    duration_ms: plan.head.durationMs,
    boundaries,
    boundaries_needed: long.boundaries,
    bound_per_boundary: boundaries === 0 ? null : boundPerBoundary(boundaries, failures),
    merge_cost_representative: false,
    load: {
      planned: rest.planned,
      executed: rest.executed,
      committed: rest.committed,
      rows_changed: rest.rowsChanged,
      source_rows: rest.sourceRows,
      kills: rest.kills,
      abandoned_runs: rest.abandoned,
    },
    plimsoll: judgedToJson(plimsoll),
    readers: readers.map(judgedToJson),
    audit: { named: rest.named, unnamed: rest.unnamed, not_looked: rest.auditNotLooked },
    forecast: forecast.map((row) =>
      'notCovered' in row
        ? { id: row.id, covered: false, reason: row.notCovered }
        : { ...row, covered: true },
    ),
    estimate,
    files,
  }
}

function judgedToJson({ behindSeconds, ...judged }: Judged): Readonly<Record<string, unknown>> {
  return { ...judged, behind_seconds: behindSeconds }
}
