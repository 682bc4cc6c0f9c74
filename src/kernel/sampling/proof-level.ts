import type { FenceMethod } from '../fence.ts'
import type { Stamper } from '../order.ts'
import type { ProofLevel } from '../proof.ts'

/** Everything that decides how sure a fence is (spec E19, E20). */
export interface ProofFacts {
  readonly method: FenceMethod
  readonly stampedBy: Stamper
  /** ≥ 2,995 rows in 14 days, their p99.9 within settle and overlap: known to the caller. */
  readonly latenessMeasured: boolean
  /** P3 only: undefined when the trigger is ours, complete and always enabled, else what is wrong with it. */
  readonly triggerFlaw?: string | undefined
  /** The table is fed by a logical subscription, so its stamps are another server's. */
  readonly subscribed?: boolean
  /** Who else decides when a row can be seen, in words: a view's definition, a foreign partition's server. */
  readonly unwatched?: string | undefined
  /** N1 only: values a session draws ahead; 1 for none. */
  readonly sequenceCache?: bigint
  /** Roles left out by declaration, where that changed the fence (spec E34). */
  readonly rolesThatMattered?: readonly string[]
  readonly decreeCount?: number
}

export interface ProofVerdict {
  readonly proof: ProofLevel
  readonly reason: string
}

/** The level of a fence and the reason in words. */
export function judgeProof(facts: ProofFacts): ProofVerdict {
  if (facts.decreeCount) {
    const who = facts.decreeCount === 1 ? 'one transaction' : `${facts.decreeCount} transactions`
    return { proof: 'assumed', reason: `${who} that held the fence too long passed over by decree` }
  }
  if (facts.rolesThatMattered?.length) {
    return {
      proof: 'assumed',
      reason: `excludeRoles says that ${facts.rolesThatMattered.join(', ')} only read`,
    }
  }
  const doubt = doubtOf(facts)
  if (doubt === undefined) return { proof: 'proven', reason: EVIDENCE[facts.method] }
  return facts.latenessMeasured
    ? { proof: 'measured', reason: `${doubt}; measured lateness stays within the overlap` }
    : { proof: 'assumed', reason: `${doubt}; lateness is not measured yet` }
}

const EVIDENCE: Readonly<Record<FenceMethod, string>> = {
  P1: 'every open and prepared transaction was listed; the database stamps the rows',
  P2: 'every open and prepared transaction was seen by its lock; the database stamps the rows',
  P3: 'every transaction below the bound has ended; the trigger stamps the rows with their transaction id',
  N1: 'every transaction that can hold a smaller number was seen by its lock; the sequence numbers the rows',
  S1: 'no writer was at work while the clock was read; the database stamps the rows',
  settle: '',
}

function doubtOf(facts: ProofFacts): string | undefined {
  const { method, stampedBy, triggerFlaw, subscribed, unwatched, sequenceCache = 1n } = facts
  if (method === 'settle') return 'settle waits for a time and looks at no transaction'
  if (subscribed) return 'a logical subscription feeds the table, so its stamps are another server’s'
  if (unwatched) return unwatched
  if (method === 'P3') return triggerFlaw
  if (stampedBy === 'application') return 'applications stamp the rows, by clocks of their own'
  if (stampedBy === 'unknown') return 'who stamps the rows is not declared (stampedBy)'
  if (method === 'N1' && sequenceCache !== 1n) {
    return `sessions draw ${sequenceCache} numbers ahead (CACHE), which may be older than their transaction`
  }
  return undefined
}
