import { type Looked, looked, type TableDiagnosis, type TableDiagnosisRequest } from '../../diagnosis.ts'
import type { Address } from '../address.ts'
import { openFile } from '../connection.ts'
import { backdatedByKey } from './backdated.ts'
import { lookAtAhead, lookAtFuture, lookAtWallTime } from './clocks.ts'
import { lookAtMovers } from './movers.ts'
import { lookAtTies, lookAtWindow, type Window } from './recent.ts'
import { lookAtLanes, lookAtReach, lookAtRoundTrip } from './rows.ts'
import { lookAtCascades, lookAtDeletes } from './schema-facts.ts'
import { openSubject } from './subject.ts'
import { lookAtWriteLock } from './write-lock.ts'

/** Every figure of one table, one after another, each with its own limit (spec A41, A42). */
export async function diagnoseTable(
  address: Address,
  request: TableDiagnosisRequest,
): Promise<TableDiagnosis> {
  const db = openFile(address, true)
  try {
    const subject = openSubject(db, request)
    const look = <Figure>(work: () => Promise<Figure>): Promise<Looked<Figure>> =>
      looked(request.queryMaxMs, work)
    const window = await look(() => lookAtWindow(subject))
    const recent = <Figure>(work: (window: Window) => Promise<Figure>): Promise<Looked<Figure>> =>
      'found' in window ? look(() => work(window.found)) : Promise.resolve(window)
    const isTimed = subject.moment !== undefined
    return {
      window: 'found' in window ? { found: window.found.figures } : window,
      lateness: await look(async () => (isTimed ? lookAtWriteLock(address, request) : undefined)),
      movers: await look(() => lookAtMovers(subject)),
      ties: await recent(({ lower }) => lookAtTies(subject, lower)),
      backdatedByCommit: { found: undefined },
      backdatedByKey: await look(() => backdatedByKey(subject)),
      future: await look(() => lookAtFuture(subject)),
      ahead: await recent(({ lower }) => lookAtAhead(subject, lower)),
      wallTime: await look(() => lookAtWallTime(subject)),
      lanes: await look(() => lookAtLanes(subject)),
      deletes: await look(() => lookAtDeletes(subject)),
      cascades: await look(() => lookAtCascades(subject)),
      roundTrip: await look(() => lookAtRoundTrip(subject)),
      reach: await look(() => lookAtReach(subject)),
    }
  } finally {
    db.close()
  }
}
