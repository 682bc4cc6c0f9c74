import { setTimeout as sleep } from 'node:timers/promises'
import { quoteTable } from '../../../kernel/sql-text.ts'
import type { LoadOp, LoadOutcome, LoadStage, LoadTransaction, LoadWrite, LoadWriter } from '../../load.ts'
import type { LoadSession } from './session.ts'
import { fromUs, payload, stampOf, toUs } from './stage.ts'

const CLOCK = toUs('clock_timestamp()')

/** Carries out planned transactions, one after the other, on one session (assurance A50). */
export function createWriter(session: LoadSession, stage: LoadStage): LoadWriter {
  return {
    transact: (transaction) => transact(session, stage, transaction),
    close: () => session.close(),
  }
}

/** A row written and a session that then does nothing, as an application does that forgot its transaction. */
export async function idleInTransaction(
  session: LoadSession,
  stage: LoadStage,
  key: number,
  version: string,
  ms: number,
): Promise<LoadOutcome> {
  const beganUs = await begin(session)
  const op: LoadOp = { op: 'insert', keys: [key] }
  const writes = await write(session, stage, op, [version], stampOf('now()', stage))
  await sleep(ms)
  return { outcome: 'committed', beganUs, endedUs: await end(session, 'COMMIT'), writes }
}

async function transact(
  session: LoadSession,
  stage: LoadStage,
  transaction: LoadTransaction,
): Promise<LoadOutcome> {
  const beganUs = await begin(session)
  const writes: LoadWrite[] = []
  try {
    for (const [o, op] of transaction.ops.entries()) {
      const versions = op.keys.map((_, i) => `${transaction.actor + 1}.${transaction.n}.${o}.${i}`)
      writes.push(...(await write(session, stage, op, versions, stampFor(transaction, op, stage))))
    }
    if (transaction.holdMs > 0) await sleep(transaction.holdMs)
    const isKept = transaction.end !== 'rollback'
    const endedUs = await finish(session, transaction)
    return { outcome: isKept ? 'committed' : 'rolled_back', beganUs, endedUs, writes: isKept ? writes : [] }
  } catch (error) {
    if (typeof (error as { code?: unknown }).code !== 'string') throw error
    return { outcome: 'failed', beganUs, endedUs: await end(session, 'ROLLBACK'), writes: [] }
  }
}

/** Undefined: the stamp stays as it is. */
function stampFor(
  { kind, stampOf: from }: LoadTransaction,
  op: LoadOp,
  stage: LoadStage,
): string | undefined {
  if (kind === 'unbumped') return undefined
  const moment = from === 'begin' ? 'now()' : 'clock_timestamp()'
  const dated = op.daysBack === undefined ? moment : `(${moment} - ${op.daysBack} * interval '1 day')`
  return stampOf(dated, stage)
}

async function write(
  session: LoadSession,
  stage: LoadStage,
  { op, keys, toKey }: LoadOp,
  versions: readonly string[],
  stamp: string | undefined,
): Promise<readonly LoadWrite[]> {
  const table = quoteTable(stage.table)
  const back = `RETURNING id, version, ${toUs('updated_at')}`
  const given = 'unnest($1::bigint[], $2::text[]) AS w (key, next)'
  const stamped = stamp === undefined ? '' : `, updated_at = ${stamp}`
  const sql = {
    insert: `INSERT INTO ${table} SELECT w.key, w.next, ${payload(stage)}, ${stamp ?? fromUs('0')} FROM ${given} ${back}`,
    update: `UPDATE ${table} t SET version = w.next${stamped} FROM ${given} WHERE t.id = w.key ${back}`,
    delete: `DELETE FROM ${table} t USING ${given} WHERE t.id = w.key RETURNING t.id, w.next, ${toUs('t.updated_at')}`,
    move: `UPDATE ${table} t SET id = $3::bigint, version = w.next${stamped} FROM ${given} WHERE t.id = w.key ${back}`,
  }[op]
  const rows = await session.ask(sql, [keys, versions, ...(op === 'move' ? [toKey] : [])])
  return rows.map(([key, version, stampUs]) => ({ op, key: key!, version: version!, stampUs: stampUs! }))
}

async function begin(session: LoadSession): Promise<string> {
  const [row] = await session.ask(`BEGIN; SELECT ${CLOCK}`)
  return row![0]!
}

/** Ends the transaction; the clock is read after everybody can see it. */
async function end(session: LoadSession, how: string): Promise<string> {
  await session.ask(how)
  const [row] = await session.ask(`SELECT ${CLOCK}`)
  return row![0]!
}

async function finish(session: LoadSession, transaction: LoadTransaction): Promise<string> {
  if (transaction.end !== 'prepare') {
    return end(session, transaction.end === 'commit' ? 'COMMIT' : 'ROLLBACK')
  }
  const name = `plimsoll_rehearse_${transaction.actor}_${transaction.n}`
  await session.ask(`PREPARE TRANSACTION '${name}'`)
  await sleep(transaction.preparedMs)
  return end(session, `COMMIT PREPARED '${name}'`)
}
