import type { RecordView, SliceView } from '../../extract/record-view.ts'
import { looksAtRange } from '../compare/looks-at-range.ts'
import type { ChainState } from './chain-state.ts'

/** Receipts agree with the slices they stand for and with the counts of the run (spec A58, E58, E73). */
export function checkReceipts(view: RecordView): string | undefined {
  const slices = view.slices ?? []
  for (const [i, slice] of slices.entries()) {
    const what = checkSlice(view, slice)
    if (what !== undefined) return `slice ${i + 1}: ${what}`
  }
  const sum = (name: string): number =>
    slices.reduce((total, { receipt }) => total + Number(receipt[name] ?? 0), 0)
  const read = sum('rowsRead')
  if (view.row_count !== undefined && Number(view.row_count) !== read)
    return `says ${view.row_count} rows, its receipts ${read}`
  const landed = sum('inserted') + sum('updated') + sum('unchanged')
  if (view.landed_count !== undefined && (Number(view.landed_count) !== landed || landed !== read))
    return `read ${read} rows, landed ${view.landed_count}, its receipts ${landed}`
  for (const effect of ['inserted', 'updated', 'unchanged']) {
    const count = view.counts?.[effect]
    if (count !== undefined && count !== sum(effect))
      return `counts ${count} rows ${effect}, its receipts ${sum(effect)}`
  }
  return undefined
}

/** The two sides did not agree after this run; a later check of its range that found nothing clears it (spec A13, A58). */
export function checkAgreement(state: ChainState, view: RecordView, sequence: number): void {
  if (view.receipt_check?.verdict === 'differs')
    state.disagreements = [...state.disagreements, { sequence, view }]
  if ((view.counts?.findings ?? 0) === 0)
    state.disagreements = state.disagreements.filter((each) => !looksAtRange(view, each.view))
}

function checkSlice(view: RecordView, { range, receipt }: SliceView): string | undefined {
  if (!receipt.batchId) return 'it has no receipt'
  if (Number(receipt.generation) !== view.generation)
    return `its receipt is of generation ${receipt.generation}, the run of ${view.generation}`
  const isRun = view.kind === 'run' || view.kind === 'first_load'
  const [before, claimed] = [receipt.claimBefore, receipt.claimAfter] as ({ value: string } | null)[]
  // A slice that ends within the overlap leaves the claim where it was.
  const fits = claimed?.value === range.upper.value || (before && before.value === claimed?.value)
  return isRun && !fits
    ? `it ends at ${range.upper.value}, its receipt claims ${claimed?.value ?? 'nothing'}`
    : undefined
}
