import { ok, type Verdict } from '../check.ts'
import type { TableContext } from '../table-context.ts'

/** Counters have no moments; positions whose zone nobody declared have some, but nobody knows which. */
export function noClock({ table, order, zoneKnown }: TableContext): Verdict {
  if (zoneKnown) return ok(`The positions of ${table} are not compared with a clock.`)
  return {
    severity: 'note',
    sentence: `${order.column} cannot be compared with a clock until its zone is declared (L7).`,
    remedy: undefined,
  }
}
