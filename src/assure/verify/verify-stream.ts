import type { StoredRecord } from '../../catalog/catalog.ts'
import { chainFault } from '../../catalog/record-chain.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import type { PositionJson } from '../../kernel/position.ts'
import { type ChainState, openDecrees, startState } from './chain-state.ts'
import { checkDecrees } from './check-decrees.ts'
import { checkRanges } from './check-ranges.ts'
import { checkAgreement, checkReceipts } from './check-receipts.ts'

export interface VerifyOptions {
  /** Records that were opened before are taken as they stand. */
  readonly sinceUs: bigint | undefined
  /** The hash that stands at the destination: what the last record must have. */
  readonly head: string | undefined
}

/** What a stream's records prove. `fault`: the first record that fails; undefined when all hold. */
export interface VerifiedStream {
  readonly stream: string
  readonly recordCount: number
  readonly checkedCount: number
  readonly head: string | undefined
  readonly generation: number | undefined
  readonly watermark: PositionJson | null | undefined
  readonly openDecrees: readonly string[]
  readonly fault: VerifyFault | undefined
  /** A person has opened a new generation since the fault. */
  readonly rewoundSince: boolean
}

export interface VerifyFault {
  readonly sequence: number
  readonly runId: string
  readonly kind: string
  readonly what: string
  /** The records hold; what they say is that the two sides did not. */
  readonly isDisagreement?: boolean
}

/** Takes a stream's records page by page, oldest first, and says at the end what they prove. */
export interface Verifier {
  take(page: readonly StoredRecord[]): void
  end(): VerifiedStream
}

/** Checks the chain of one stream, from the records alone (spec A58). */
export function openVerifier(stream: string, { sinceUs = 0n, head }: VerifyOptions): Verifier {
  const state = startState()
  let last: StoredRecord | undefined
  let known: StoredRecord | undefined
  let fault: VerifyFault | undefined
  let rewoundSince = false
  let [recordCount, checkedCount] = [0, 0]
  const takeOne = (record: StoredRecord, brokenHow: string | undefined): void => {
    const view = viewOf(record)
    if (record.hash === head) known = record
    if (fault && view?.kind === 'rewind') rewoundSince = true
    const isAsked = checkedCount > 0 || openedUs(view) >= sinceUs
    if (isAsked) checkedCount++
    const what = fault ? undefined : (brokenHow ?? (view && checkRecord(state, view, record.sequence)))
    if (what !== undefined && isAsked) fault = faultAt(record, view, what)
    recordCount++
    last = record
  }
  return {
    take(page) {
      // Where older records are taken as they stand, so is the chain up to the last of them.
      const first = checkedCount > 0 ? 0 : page.findIndex((record) => openedUs(viewOf(record)) >= sinceUs)
      const before = first > 0 ? page[first - 1] : last
      const broken = first < 0 ? undefined : chainFault(page.slice(first), before)
      for (const record of page) takeOne(record, record === broken?.record ? broken.what : undefined)
    },
    end() {
      const { generation, watermark } = state
      return {
        stream,
        recordCount,
        checkedCount,
        head: last?.hash,
        generation,
        watermark,
        openDecrees: openDecrees(state),
        fault: fault ?? headFault(last, known, head) ?? disagreementFault(state),
        rewoundSince,
      }
    },
  }
}

function checkRecord(state: ChainState, view: RecordView, sequence: number): string | undefined {
  checkAgreement(state, view, sequence)
  return checkRanges(state, view, sequence) ?? checkReceipts(view) ?? checkDecrees(state, view, sequence)
}

function disagreementFault({ disagreements: [disagreement] }: ChainState): VerifyFault | undefined {
  if (!disagreement) return undefined
  const { sequence, view } = disagreement
  const what = 'says that the two sides differ (receipt check), and no clean audit of its range follows'
  return { sequence, runId: view.run_id ?? '', kind: view.kind ?? '', what, isDisagreement: true }
}

/** The head equals what stands at the destination, so that neither side can be rewritten alone. */
function headFault(
  last: StoredRecord | undefined,
  known: StoredRecord | undefined,
  head: string | undefined,
): VerifyFault | undefined {
  if (head === undefined || last?.hash === head) return undefined
  if (!last) return { sequence: 0, runId: '', kind: '', what: 'no record is there' }
  const what = known
    ? `is not the head: that is record ${known.sequence}. What follows it was added, or its process died before the destination was told; the next run tells it`
    : 'is not the head, and no record has that hash: the newest ones are missing, or were replaced'
  return faultAt(last, viewOf(last), what)
}

function faultAt({ sequence, runId }: StoredRecord, view: RecordView | undefined, what: string): VerifyFault {
  return { sequence, runId, kind: view?.kind ?? '', what }
}

function viewOf(record: StoredRecord): RecordView | undefined {
  try {
    return readRecord(record)
  } catch {
    return undefined
  }
}

function openedUs(view: RecordView | undefined): bigint {
  const text = view?.opened_us
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : 0n
}
