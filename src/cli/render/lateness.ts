import type { Quantile } from '../../assure/lateness/level-report.ts'
import type { LatenessReport } from '../../assure/lateness/report.ts'
import { beyondMaxSentence } from '../../assure/lateness/sentence.ts'
import { countAbove, sketchCount } from '../../assure/lateness/sketch.ts'
import type { Colour } from './colour.ts'
import { lossText, rateText, secondsText } from './lateness-words.ts'
import { renderBars, roundBorders } from './plot.ts'
import { formatCount, plural } from './quantity.ts'
import { renderFields, renderTable } from './table.ts'

/** How late rows of a table become visible, what the present overlap leaves, and what more would cost (spec A39). */
export function renderLateness(report: LatenessReport, colour: Colour): string {
  const count = sketchCount(report.commit.sketch)
  const parts = [
    `${colour.bold(report.stream)}  ${headline(report, count)}`,
    renderFields(fieldsOf(report, colour), '  '),
    ...(report.levels.length > 0 ? [levelTable(report)] : []),
    ...(count > 0 ? [distribution(report)] : []),
    ...(report.nines.length > 0 ? [ninesTable(report)] : []),
  ]
  return parts.join('\n\n').replace('\n\n', '\n')
}

function headline({ levels }: LatenessReport, count: number): string {
  if (count > 0) return `${plural(count, 'row')} measured by commit time in 35 days`
  return levels.length > 0 ? 'measured by late rows only' : 'nothing measured yet'
}

function fieldsOf(report: LatenessReport, colour: Colour): [string, string][] {
  const { overlapSeconds, overlapOrigin, settleSeconds, proof, periodSeconds, open, commit, lateRows } =
    report
  const fields: [string, string][] = []
  if (overlapSeconds !== undefined) {
    const settle = settleSeconds > 0 ? ` and ${secondsText(settleSeconds)} waited` : ''
    fields.push(['margin', `${secondsText(overlapSeconds)} of overlap${settle} (${overlapOrigin})`])
  }
  const fence =
    proof === 'proven' ? 'proven: nothing of this is lost under it' : `${proof}: it rests on the margin`
  fields.push(['fence', fence])
  if (periodSeconds !== undefined) fields.push(['runs', `every ${secondsText(periodSeconds)}`])
  const { deepest, deepestShare } = lateRows
  const late = sketchCount(lateRows.sketch)
  if (late > 0) {
    const share = `${Math.round(deepestShare * 100)} % of the overlap`
    fields.push([
      'late rows',
      `${formatCount(late)}; the deepest ${depthText(report, deepest)} below the watermark, ${share}`,
    ])
  }
  if (open.olderThanMargin !== undefined) {
    const mean = Number(open.olderThanMargin.toPrecision(3))
    const looks = plural(open.looks, 'look')
    fields.push([
      'writers',
      `${mean} open for longer than the margin on average (${looks}): what a bound at the clock loses a run`,
    ])
  }
  if (commit.ahead > 0)
    fields.push([
      'ahead',
      `${plural(commit.ahead, 'row')} stamped up to ${secondsText(commit.mostAhead / 1e6)} ahead of their commit`,
    ])
  if (commit.backdated > 0)
    fields.push([
      'old dates',
      `${plural(commit.backdated, 'row')} dated further back than any transaction was open: not counted`,
    ])
  if (sketchCount(commit.sketch) === 0)
    fields.push([
      'how',
      'commit times are kept by PostgreSQL with track_commit_timestamp = on; without them only late rows are seen, none beyond the overlap',
    ])
  if (report.busiest?.isBorrowed || (report.levels.length > 0 && report.loadExponent === undefined))
    fields.push(['load', 'lateness at another load has never been measured'])
  else if (report.loadExponent !== undefined)
    fields.push(['load', `mean lateness grows like the load to the power ${report.loadExponent.toFixed(2)}`])
  if (report.beyondMax) fields.push([colour.yellow('overlap'), beyondMaxSentence(report.beyondMax)])
  if (report.failure) {
    const { code, text, runId } = report.failure
    fields.push([colour.yellow('failed'), `the run ${runId} could not be measured: ${code}: ${text}`])
  }
  return fields
}

function levelTable(report: LatenessReport): string {
  const head = [
    'load',
    'rows/s',
    'n',
    'median',
    'p99',
    'p99.9',
    'deepest late',
    'of overlap',
    'lost/run ½ m',
    'at m',
    'at 2 m',
    'a year at m',
    'under fence',
  ]
  const rows = report.levels.map((each) => [
    each.level === 0 ? 'busiest' : `1/${2 ** -each.level}`,
    rateText(each.rate),
    formatCount(each.count),
    quantileText(each.median),
    quantileText(each.p99),
    quantileText(each.p999),
    each.deepest > 0 ? depthText(report, each.deepest) : '',
    each.deepestShare > 0 ? `${Math.round(each.deepestShare * 100)} %` : '',
    ...each.losses.map(({ perRun }) => lossText(perRun)),
    ...(each.losses.length > 0 ? [lossText(each.losses[1]!.perYear)] : ['', '', '', '']),
    String(each.underFence),
  ])
  return renderTable(head, rows, [1, 2])
}

const depthText = ({ unit }: LatenessReport, depth: number): string =>
  unit === 'us' ? secondsText(depth / 1e6) : `${formatCount(depth)} positions`

const quantileText = (quantile: Quantile): string =>
  quantile.kind === 'known'
    ? secondsText(quantile.seconds)
    : `not enough: ${formatCount(quantile.count)} of ${formatCount(quantile.needed)}`

const PLOT_ROWS = 18
const PLOT_WIDTH = 40

/** Rows by lateness, each line a factor of two or so, with a mark where the margin lies. */
function distribution({ commit, overlapSeconds, settleSeconds }: LatenessReport): string {
  const { sketch } = commit
  const borders = roundBorders(Math.max(sketch.least, 1), Math.max(sketch.most, 1), PLOT_ROWS)
  const margin = overlapSeconds === undefined ? undefined : (overlapSeconds + settleSeconds) * 1e6
  const total = sketchCount(sketch)
  const bars = borders.slice(0, -1).map((from, i) => {
    const to = borders[i + 1]!
    const above = i === 0 ? total : countAbove(sketch, from)
    const count = Math.max(0, Math.round(above - countAbove(sketch, to)))
    const isMargin = margin !== undefined && from <= margin && margin < to
    return {
      label: `≤ ${secondsText(to / 1e6)}`,
      count,
      note: [count > 0 ? formatCount(count) : '', isMargin ? '← the margin' : ''].filter(Boolean).join('  '),
    }
  })
  return `rows by lateness (each bar a factor of ten longer, ten times the rows)\n${renderBars(bars, PLOT_WIDTH)}`
}

function ninesTable(report: LatenessReport): string {
  const { nines, families, lossRows, periodSeconds, commit } = report
  const rows = nines.map(({ loss, margin }, i) => {
    const before = nines[i - 1]
    const more = before && before.margin > 0 ? `× ${Number((margin / before.margin).toPrecision(3))}` : ''
    const year = periodSeconds === undefined ? '' : lossText((loss * 31_536_000) / periodSeconds)
    return [`${loss}${loss === lossRows ? ' (wanted)' : ''}`, year, secondsText(margin), more]
  })
  const table = renderTable(
    ['lost a run', 'lost a year', 'margin without a fence', 'against the line above'],
    rows,
  )
  const count = sketchCount(commit.sketch)
  const end = `the largest of ${plural(count, 'row')} is ${secondsText(commit.sketch.most / 1e6)}: what lies beyond, they cannot say`
  if (families.length === 0) return `${table}\n${end}`
  const beside = families.map(
    ({ name, margin }) => `${name} ${Number.isFinite(margin) ? secondsText(margin) : 'none'}`,
  )
  return `${table}\n${end}\nfor comparison, laws of the same figures would ask for: ${beside.join(', ')}`
}
