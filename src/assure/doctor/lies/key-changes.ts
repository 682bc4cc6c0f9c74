import type { CascadeFigures, Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { shellWord } from '../words.ts'

/** L12: a key that changes leaves the old one behind. */
export function keyChanges(
  { table, stream }: TableContext,
  cascades: Looked<readonly CascadeFigures[]>,
): Check {
  return judge('L12', cascades, (found) => {
    const [first] = found
    if (!first) return ok(`No foreign key carries a change of the key of ${table} on.`)
    const follows =
      first.direction === 'followed_by'
        ? `${first.other} follows it with ON UPDATE CASCADE`
        : `it follows that of ${first.other} with ON UPDATE CASCADE`
    return {
      severity: 'warning',
      sentence: `The key of ${table} can change: ${follows}.`,
      remedy: `plimsoll reconcile ${shellWord(stream ?? table)}   # weekly; better a key that never changes`,
      figures: Object.fromEntries(found.map(({ constraint, other }) => [constraint, other])),
    }
  })
}
