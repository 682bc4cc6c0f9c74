import type { Looked, MoverFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { shellWord } from '../words.ts'
import { stampingTrigger } from './stamping-trigger.ts'

/** L2: a change need not move the position. A trigger that fires for some changes, or for replayed ones only, is none. */
export function unmoved(context: TableContext, movers: Looked<readonly MoverFigures[]>): Check {
  return judge('L2', movers, (found) => {
    const { table, order, appendOnly, shape, stream } = context
    if (appendOnly) return ok(`Rows of ${table} are declared to be never updated.`)
    const mover =
      found.find(({ fires }) => fires === 'always') ?? found.find(({ fires }) => fires === 'origin')
    if (mover)
      return ok(`The trigger ${mover.name} moves ${order.column} whenever a row of ${table} changes.`)
    const isView = shape.kind === 'view'
    return {
      severity: 'warning',
      sentence: `Nothing in the database moves ${order.column} when a row changes (${why(found, isView)}): scripts change rows unseen.`,
      remedy:
        (isView ? undefined : stampingTrigger(context)) ??
        `plimsoll reconcile ${shellWord(stream ?? table)}   # weekly`,
      figures: { triggers: found.map(({ name, fires }) => `${name} ${fires}`).join(', ') },
    }
  })
}

function why(movers: readonly MoverFigures[], isView: boolean): string {
  if (isView) return 'it is a view'
  const [mover] = movers
  if (!mover) return 'no trigger sets it'
  return {
    never: `the trigger ${mover.name} is disabled`,
    replica: `the trigger ${mover.name} fires for replayed changes only`,
    some: `the trigger ${mover.name} fires at some changes only`,
    origin: '',
    always: '',
  }[mover.fires]
}
