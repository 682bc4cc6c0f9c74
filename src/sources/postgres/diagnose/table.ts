import { type Looked, looked, type TableDiagnosis, type TableDiagnosisRequest } from '../../diagnosis.ts'
import type { Pool } from '../connect/pool.ts'
import { backdatedByCommit, backdatedByKey } from './backdated.ts'
import { lookAtCascades, lookAtDeletes } from './catalog-facts.ts'
import { lookAtAhead, lookAtFuture } from './future.ts'
import { lookAtLanes, lookAtRoundTrip } from './lanes.ts'
import { lookAtLateness } from './lateness.ts'
import { lookAtMovers } from './movers.ts'
import { lookAtReach } from './reach.ts'
import { openSubject } from './subject.ts'
import { lookAtTies } from './ties.ts'
import { lookAtWallTime } from './wall-time.ts'
import { lookAtWindow, type Window } from './window.ts'

/** Every figure of one table, one after another, each with its own limit (spec A41, A42). */
export async function diagnoseTable(
  primary: Pool,
  readers: Pool,
  request: TableDiagnosisRequest,
): Promise<TableDiagnosis> {
  const subject = await openSubject(request, primary, readers)
  const look = <Figure>(work: () => Promise<Figure>): Promise<Looked<Figure>> =>
    looked(request.queryMaxMs, work)
  const window = await look(() => lookAtWindow(subject))
  const recent = <Figure>(work: (window: Window) => Promise<Figure>): Promise<Looked<Figure>> =>
    'found' in window ? look(() => work(window.found)) : Promise.resolve(window)
  const byCommit = await look(() => backdatedByCommit(subject))
  const isTold = 'found' in byCommit && byCommit.found !== undefined
  return {
    window: 'found' in window ? { found: window.found.figures } : window,
    lateness: await recent(({ lower }) => lookAtLateness(subject, primary, lower)),
    movers: await look(() => lookAtMovers(subject)),
    ties: await recent(({ lower }) => lookAtTies(subject, lower)),
    backdatedByCommit: byCommit,
    // Commit times show it; keys only suggest it.
    backdatedByKey: isTold ? { found: undefined } : await look(() => backdatedByKey(subject)),
    future: await look(() => lookAtFuture(subject)),
    ahead: await recent(({ lower }) => lookAtAhead(subject, lower)),
    wallTime: await look(() => lookAtWallTime(subject)),
    lanes: await look(() => lookAtLanes(subject)),
    deletes: await look(() => lookAtDeletes(subject)),
    cascades: await look(() => lookAtCascades(subject)),
    roundTrip: await look(() => lookAtRoundTrip(subject)),
    reach: await look(() => lookAtReach(subject)),
  }
}
