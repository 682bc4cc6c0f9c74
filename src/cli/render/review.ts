import { type Answered, QUESTION } from '../../assure/review/question.ts'
import type { ReviewAnswer, ReviewedStream } from '../../assure/review/review-streams.ts'
import type { ReviewRow, ReviewVerdict } from '../../assure/review/row.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { Colour } from './colour.ts'
import { formatUs } from './quantity.ts'
import { renderFields, renderTable } from './table.ts'

/** One stream: where the peak is, a line a row, then why and what to do, and the one question (spec A46, A47). */
export function renderReview(review: ReviewedStream, nowUs: bigint, colour: Colour): string {
  const paint = painter(colour)
  const [first] = review.rows
  const head = ['', 'verdict', ...(first?.figures ?? []).map(({ multiplier }) => `${multiplier} ×`), 'β']
  const table = renderTable(
    head,
    review.rows.map((row) => [row.name, paint(row.verdict), ...shownFigures(row), betaText(row)]),
  )
  const words = review.rows.flatMap((row) => detail(row, paint))
  return [
    `${colour.bold(review.stream)}  ${review.head}`,
    '',
    table,
    '',
    renderFields(words, '  '),
    '',
    colour.bold(QUESTION),
    renderFields(
      review.answers.map((answer) => [answer.rows, answerText(answer, nowUs, colour)]),
      '  ',
    ),
  ].join('\n')
}

function painter(colour: Colour): (verdict: ReviewVerdict) => string {
  const by: Readonly<Record<ReviewVerdict, (text: string) => string>> = {
    ok: colour.green,
    watch: colour.yellow,
    breaks: colour.red,
    unbounded: colour.red,
    unknown: colour.dim,
  }
  return (verdict) => by[verdict](verdict)
}

/** The number alone: the words stand below. */
const shownFigures = ({ figures }: ReviewRow): string[] =>
  figures.map(({ value }) => (value === null ? '' : numberText(value)))

function numberText(value: number): string {
  if (value === 0) return '0'
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

const betaText = ({ exponent }: ReviewRow): string => (exponent === undefined ? '' : exponent.toFixed(2))

/** What the figures say at the load of today and at the multiple, why that is no good, and what to do. */
function detail(row: ReviewRow, paint: (verdict: ReviewVerdict) => string): [string, string][] {
  const texts = [row.figures[0], row.figures.at(-1)].flatMap((figure) =>
    figure && figure.text !== '' ? [`${figure.multiplier} ×: ${figure.text}`] : [],
  )
  const lines = [...new Set(texts)]
  if (row.because !== '') lines.push(`${paint(row.verdict)}: ${row.because}`)
  if (row.remedy !== '') lines.push(`remedy: ${row.remedy}`)
  return lines.length === 0 ? [] : [[row.name, lines.join('\n')]]
}

function answerText({ check, lastUs }: Answered, nowUs: bigint, colour: Colour): string {
  if (check === undefined || lastUs === undefined) return colour.yellow('nothing tells us')
  const at = formatTimestampUs(lastUs, 'Z').replace(/\.\d+/, '')
  const ago = nowUs > lastUs ? `, ${formatUs(nowUs - lastUs)} ago` : ''
  return `${check}; last ${at}${ago}`
}

export function reviewToJson(answer: ReviewAnswer, multiplier: number): Readonly<Record<string, unknown>> {
  return {
    multiplier,
    streams: answer.streams.map(({ stream, head, rows, breaking, answers }) => ({
      stream,
      head,
      breaking,
      rows: rows.map(({ name, verdict, because, remedy, exponent, figures }) => ({
        name,
        verdict,
        because,
        remedy,
        exponent: exponent ?? null,
        figures,
      })),
      question: QUESTION,
      answers: answers.map(({ rows: which, check, lastUs }) => ({
        rows: which,
        check: check ?? null,
        last_us: lastUs === undefined ? null : String(lastUs),
      })),
    })),
    not_looked: answer.notLooked.map(({ stream, side, reason }) => ({ stream, side, reason })),
  }
}
