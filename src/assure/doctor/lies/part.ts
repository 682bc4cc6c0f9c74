import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { Looked, TableAccess } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'

/** L14: a part is read for the whole; rows that leave it leave unseen. */
export function part(table: string, access: Looked<TableAccess>, role: string | undefined): Check {
  return judge('L14', access, ({ filter: { how, policies } }) => {
    if (how === 'whole') return ok(`This role sees ${table} as a whole.`)
    const shown = {
      view: 'it is a view',
      materialized_view: 'it is a materialized view',
      policy: policies.length === 0 ? 'row security without a policy' : `policy ${policies.join(', ')}`,
    }[how]
    return {
      severity: 'blocker',
      sentence: `What this role sees of ${table} is filtered (${shown}): rows that leave the filter leave unseen.`,
      remedy:
        how === 'policy'
          ? `ALTER ROLE ${quoteIdentifier(role ?? 'plimsoll')} BYPASSRLS;`
          : `accept: [{ check: L14, reason: "no row ever leaves the view", date: YYYY-MM-DD }]   # or read the table itself`,
      figures: { how, policies: policies.join(', ') },
    }
  })
}
