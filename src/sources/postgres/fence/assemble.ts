import type { Decree, Fence, FenceMethod, LogPosition } from '../../../kernel/fence.ts'
import { comparePositions, type Position, positionToJson } from '../../../kernel/position.ts'
import { forgetPaid, type HoldMemory, settledDecrees } from '../../../kernel/sampling/holding.ts'
import { judgeProof, type ProofFacts } from '../../../kernel/sampling/proof-level.ts'
import type { FenceRequest } from '../../source.ts'
import { type Candidate, describeHolder } from './candidate.ts'
import type { Weighed } from './weigh.ts'

const MAX_WITNESSES = 20

export interface FenceParts {
  readonly request: FenceRequest
  readonly method: FenceMethod
  readonly weighed: Weighed
  /** Fence units to a position of the order, floored. */
  readonly toPosition: (value: bigint) => Promise<Position>
  readonly guardUs: bigint
  readonly logPosition: LogPosition | undefined
  readonly facts: Pick<ProofFacts, 'subscribed' | 'unwatched' | 'triggerFlaw' | 'sequenceCache'>
  readonly memory: HoldMemory
  readonly clockStepUs: bigint
  readonly nextValue: bigint | undefined
  readonly sampleCount: number
  readonly waitedUs: bigint
}

/** The fence of one table from what a look means for it, and what is to be remembered of its decrees. */
export async function assembleFence(parts: FenceParts): Promise<{ fence: Fence; hold: HoldMemory }> {
  const { request, method, weighed, toPosition, facts } = parts
  const { hold, counted, declared } = weighed
  const value = hold.value === undefined ? undefined : await toPosition(hold.value)
  const rolesThatMattered = value ? await mattering(declared, value, toPosition) : []
  const decrees = await decreesOf(parts, counted)
  const settled = settledOf(parts)
  const known = {
    method,
    stampedBy: request.order.stampedBy,
    latenessMeasured: request.latenessMeasured ?? false,
    ...facts,
    rolesThatMattered,
  }
  const { proof, reason } = judgeProof({ ...known, decreeCount: decrees.length })
  const passedOver = new Set(hold.passedOver.map(({ key }) => key))
  const witnesses = counted.filter(({ key }) => !passedOver.has(key)).sort(bindingFirst)
  const binding = hold.binding && counted.find(({ key }) => key === hold.binding?.key)
  const unpaid = request.outstandingDecrees.map(({ key }) => key).filter((key) => !settled.includes(key))
  const fence: Fence = {
    method,
    value,
    t0: String(weighed.t0),
    guardUs: String(parts.guardUs),
    ...(parts.nextValue === undefined ? {} : { nextValue: String(parts.nextValue) }),
    proof,
    ...(decrees.length > 0 ? { proofBelowDecrees: judgeProof(known).proof } : {}),
    proofReason: reason,
    witnesses: shown(witnesses),
    prepared: shown(counted.filter(({ gid }) => gid !== undefined).sort(bindingFirst)),
    excluded: shown(declared),
    decrees,
    settledDecrees: settled,
    logPosition: parts.logPosition,
    sampleCount: parts.sampleCount,
    waitedUs: String(parts.waitedUs),
    heldBecause: binding && describeHolder(binding),
    clockStepUs: String(parts.clockStepUs),
    grain: String(request.order.grain),
  }
  return { fence, hold: forgetPaid(hold.memory, new Set([...passedOver, ...unpaid])) }
}

const shown = (candidates: readonly Candidate[]) =>
  candidates.slice(0, MAX_WITNESSES).map(({ witness }) => witness)

/** The roles whose sessions would have given a lower fence, had they not been declared harmless (spec E34). */
async function mattering(
  declared: readonly Candidate[],
  value: Position,
  toPosition: FenceParts['toPosition'],
): Promise<string[]> {
  const roles = new Set<string>()
  for (const { bound, witness } of declared) {
    const isLower = bound === undefined || comparePositions(await toPosition(bound), value) < 0
    if (isLower && witness.user !== undefined) roles.add(witness.user)
  }
  return [...roles]
}

/** Outstanding decrees keep the bound they were given; a new one gets the blocker's. */
async function decreesOf(
  { request, weighed, toPosition }: FenceParts,
  counted: readonly Candidate[],
): Promise<Decree[]> {
  const decrees: Decree[] = []
  for (const { key, bound } of weighed.hold.passedOver) {
    const blocker = counted.find((one) => one.key === key)?.witness ?? { key }
    const given = request.outstandingDecrees.find((one) => one.key === key)?.bound
    if (given !== undefined) decrees.push({ key, bound: { kind: request.order.kind, value: given }, blocker })
    else if (bound !== undefined)
      decrees.push({ key, bound: positionToJson(await toPosition(bound)), blocker })
  }
  return decrees
}

/**
 * A session that is known by another key under another method is still there while its process has a transaction open;
 * only keys of sessions change their name when the transaction is prepared.
 */
function settledOf({ request, weighed, memory }: FenceParts): string[] {
  const everybody = [...weighed.counted, ...weighed.declared]
  const keys = new Set(everybody.map(({ key }) => key))
  const kinds = new Set(everybody.map(({ key }) => kindOf(key)))
  const isThere = (key: string): boolean => {
    if (keys.has(key)) return true
    const pid = processOf(key)
    return (
      pid !== undefined && !kinds.has(kindOf(key)) && everybody.some(({ witness }) => witness.pid === pid)
    )
  }
  return settledDecrees({
    outstanding: request.outstandingDecrees.map(({ key }) => key),
    isThere: weighed.isThere ?? isThere,
    mayBeRenamed: (key) => processOf(key) !== undefined,
    prepared: everybody.filter(({ gid }) => gid !== undefined).map(({ bound }) => bound),
    memory,
  })
}

const kindOf = (key: string): string => key.slice(0, key.indexOf(':'))

/** `session:pid/…`, `virtual:backend/id/pid`. */
function processOf(key: string): number | undefined {
  const text = /^session:(\d+)\//.exec(key)?.[1] ?? /^virtual:.*\/(\d+)$/.exec(key)?.[1]
  return text === undefined ? undefined : Number(text)
}

function bindingFirst(a: Candidate, b: Candidate): number {
  if (a.bound === b.bound) return a.key < b.key ? -1 : 1
  if (a.bound === undefined) return -1
  return b.bound === undefined || a.bound < b.bound ? -1 : 1
}
