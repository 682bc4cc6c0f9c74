import {
  type ClockFigures,
  looked,
  type SourceDiagnosis,
  type SourceDiagnosisRequest,
  type TableAccess,
} from '../../diagnosis.ts'
import type { TableRef } from '../../source.ts'
import { readClockUs } from '../barrier.ts'
import type { Db } from '../connection.ts'
import { readTableFacts } from '../describe/columns.ts'

/** A file has one clock, the machine's; no list of sessions, no replica, no log that is kept. */
export async function diagnoseSource(db: Db, request: SourceDiagnosisRequest): Promise<SourceDiagnosis> {
  const nobody = {
    behindBytes: 0,
    growthBytes: 0,
    conflictDelayMs: undefined,
    feedback: false,
    cancelledCount: 0,
  }
  return {
    access: request.tables.map((table) => ({ found: accessOf(db, table) })),
    clock: await looked(request.queryMaxMs, async () => clockOf(db, request)),
    sessions: { found: undefined },
    replica: { found: { kind: 'none', ...nobody } },
    archive: { found: undefined },
  }
}

/** Whoever may read the file may read all of it; a view is a part (lie L14). */
function accessOf(db: Db, table: TableRef): TableAccess {
  const isView = readTableFacts(db, table)?.kind === 'view'
  return { filter: { how: isView ? 'view' : 'whole', policies: [] }, rights: { mayRead: true, grants: [] } }
}

const ROUND_TRIPS = 5

function clockOf(db: Db, { nowMs }: SourceDiagnosisRequest): ClockFigures {
  let best: { offsetUs: bigint; errorUs: bigint } | undefined
  let [last, steppedBackUs] = [0n, 0n]
  for (let i = 0; i < ROUND_TRIPS; i++) {
    const before = nowMs()
    const now = readClockUs(db)
    const after = nowMs()
    // SQLite's clock counts milliseconds.
    const errorUs = BigInt(Math.round((after - before) * 500)) + 1_000n
    if (!best || errorUs < best.errorUs)
      best = { offsetUs: now - BigInt(Math.round((before + after) * 500)), errorUs }
    if (last - now > steppedBackUs) steppedBackUs = last - now
    last = now
  }
  return { ...best!, steppedBackUs, nowUs: last }
}
