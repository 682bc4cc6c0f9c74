import type { RecordView } from '../../extract/record-view.ts'
import type { ChainState } from './chain-state.ts'

/** Every decree has its bill or is open (spec A58, E39). Returns what is wrong with this record, and takes it in. */
export function checkDecrees(state: ChainState, view: RecordView, sequence: number): string | undefined {
  const { decrees } = state
  const { kind, key = '', run = '' } = view
  if (kind === 'decree') {
    decrees.set(key, { sequence, run, state: 'open' })
    return undefined
  }
  if (kind === 'bill') {
    const decree = decrees.get(key)
    if (!decree) return `is the bill of ${key}, which no record decrees`
    decree.state = 'paid'
    return undefined
  }
  if (view.outcome === 'abandoned') {
    for (const decree of decrees.values()) if (decree.run === view.run_id) decree.state = 'void'
    return undefined
  }
  return view.open_decrees ? checkOpen(state, view, view.open_decrees, sequence) : undefined
}

function checkOpen(
  { decrees }: ChainState,
  view: RecordView,
  open: readonly string[],
  sequence: number,
): string | undefined {
  for (const key of open) {
    const decree = decrees.get(key)
    // A debt that was found in the claim when the catalog was lost.
    if (!decree && (view.adopted?.length ?? 0) > 0)
      decrees.set(key, { sequence, run: view.run_id ?? '', state: 'open' })
    else if (!decree) return `owes the bill of ${key}, which no record decrees`
    else if (decree.state === 'void') decree.state = 'open'
    else if (decree.state === 'paid') return `owes the bill of ${key}, which is paid`
  }
  for (const [key, decree] of decrees) {
    if (decree.state === 'open' && !open.includes(key))
      return `has forgotten the decree of record ${decree.sequence} (${key}): it has no bill and is not open`
  }
  return undefined
}
