import { isTimeLike } from '../../../kernel/moment.ts'
import type { BackdatedFigures, Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok, type Verdict } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { rows, shellWord } from '../words.ts'
import { noClock } from './no-clock.ts'

/** L4: rows are written with old dates. Commit times show it; without them keys that grow do. */
export function past(
  context: TableContext,
  byCommit: Looked<BackdatedFigures | undefined>,
  byKey: Looked<BackdatedFigures | undefined>,
): Check {
  const looks = [byCommit, byKey]
  const found = looks.find((look) => 'found' in look && (look.found?.count ?? 0) > 0)
  if (found && 'found' in found) return judge('L4', found, (figures) => wrote(context, figures!))
  if ('found' in byCommit && byCommit.found) return judge('L4', byCommit, () => none(context, 'commit times'))
  const blind = looks.find((look) => 'notLooked' in look)
  if (blind) return judge('L4', blind, () => none(context, ''))
  return judge('L4', byKey, (figures) => (figures ? none(context, 'keys that grow') : untold(context)))
}

function wrote({ table, stream }: TableContext, { count, atLeast, latest }: BackdatedFigures): Verdict {
  const key = latest?.key.join(', ') ?? ''
  const carry = count === 1 ? 'carries a date' : 'carry dates'
  return {
    severity: 'warning',
    sentence:
      `${atLeast ? 'At least ' : ''}${rows(count)} ${carry} older than everything written before ${count === 1 ? 'it' : 'them'} ` +
      `(latest: ${key}, dated ${latest?.position}, written about ${latest?.written}).`,
    remedy:
      stream === undefined
        ? `plimsoll audit ${shellWord(table)}`
        : `plimsoll audit ${shellWord(stream)} --full`,
    figures: {
      count: String(count),
      at_least: String(atLeast),
      key,
      position: latest?.position ?? '',
      written: latest?.written ?? '',
    },
  }
}

const none = ({ table }: TableContext, by: string): Verdict =>
  ok(`No row of ${table} carries a date older than everything written before it (by ${by}).`, { count: '0' })

const untold = (context: TableContext): Verdict => {
  const { table, order, zoneKnown } = context
  if (!zoneKnown || !isTimeLike(order)) return noClock(context)
  return {
    severity: 'note',
    sentence: `Whether rows of ${table} carry old dates cannot be told: no commit times are kept, and no key grows in the order of the dates.`,
    remedy:
      context.engine === 'postgres'
        ? 'ALTER SYSTEM SET track_commit_timestamp = on;   -- takes a restart'
        : undefined,
  }
}
