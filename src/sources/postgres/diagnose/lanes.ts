import type { Lane } from '../../../kernel/lane.ts'
import type { LaneFigures, RoundTripFigures } from '../../diagnosis.ts'
import { positionFromText, positionLiteral } from '../read/literals.ts'
import { lanePredicates } from '../read/predicates.ts'
import { shownPosition } from './moment.ts'
import { type Subject, withFuture } from './subject.ts'

/** These have a place in the order, if a distant one; lie L5 speaks of them. */
const ELSEWHERE: ReadonlySet<Lane> = new Set<Lane>(['future', 'infinity'])

/** L8: rows without a place in the order. */
export async function lookAtLanes({ rows, table, column, request }: Subject): Promise<LaneFigures> {
  const lanes = [...lanePredicates(column)].filter(([lane]) => !ELSEWHERE.has(lane))
  if (lanes.length === 0) return { counts: {}, forms: [] }
  const counts = lanes.map(
    ([lane, predicate]) =>
      `(SELECT count(*) FROM (SELECT FROM ${table} WHERE ${predicate} LIMIT ${request.laneMaxRows + 1}) l) AS ${lane}`,
  )
  const [row] = await rows.ask(`SELECT ${counts.join(', ')}`)
  return { counts: Object.fromEntries(lanes.map(([lane]) => [lane, Number(row![lane])])), forms: [] }
}

/** L13: the largest position, read as a run reads it and sent back as a run sends it, in one snapshot. */
export async function lookAtRoundTrip(subject: Subject): Promise<RoundTripFigures | undefined> {
  const { rows, table, position, request } = subject
  return rows.inSnapshot(async (ask) => {
    const [largest] = await ask(
      `SELECT ${position} AS p FROM ${table} WHERE ${withFuture(subject, undefined)} ORDER BY ${position} DESC LIMIT 1`,
    )
    const text = largest?.p
    if (text == null) return undefined
    const literal = literalOf(subject, text)
    if (literal === undefined) return { sent: text, rowCount: 0 }
    const [found] = await ask(
      `SELECT count(*) AS n FROM (SELECT FROM ${table} WHERE ${position} = ${literal} LIMIT ${MOST_COUNTED}) l`,
    )
    return { sent: shownPosition(request.order, text), rowCount: Number(found!.n) }
  })
}

const MOST_COUNTED = 1_000

/** Undefined for what the kind of position cannot hold, such as NaN among numbers. */
function literalOf({ column, request: { order } }: Subject, text: string): string | undefined {
  const counts = order.kind === 'integer' || order.kind === 'xid8'
  if (counts && !/^-?\d+$/.test(text)) return undefined
  return positionLiteral(positionFromText(order, text), column.nativeType)
}
