import type { Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { ClaimContext, TableContext } from '../table-context.ts'
import { shellWord } from '../words.ts'

/** L11: another server, or an older state of the same one, answers under the address (spec E66). */
export function wentBack(
  context: TableContext,
  claim: Looked<ClaimContext | undefined>,
  address: string,
): Check {
  return judge('L11', claim, (found) => {
    if (!found) return ok('Nothing was claimed from this source yet: there is no server to compare it with.')
    const { wentBack: back } = found
    if (!back) return ok(`${address} is the server that the claim of ${context.table} was made on.`)
    return {
      severity: 'blocker',
      sentence: `${address} is not the server the claim was made on (${back.before} → ${back.now}).`,
      remedy: `plimsoll state rewind ${shellWord(context.stream ?? context.table)} --to start --reason "${back.why}"`,
      figures: { before: back.before, now: back.now },
    }
  })
}
