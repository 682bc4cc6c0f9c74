import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { Looked, SessionFigures, TableAccess } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import { amount } from '../words.ts'

/** A44: the role may read every column of the table. */
export function readingRights(table: string, access: Looked<TableAccess>): Check {
  return judge('rights', access, ({ rights: { mayRead, grants } }) => {
    if (mayRead) return ok(`This role may read ${table}.`)
    return {
      severity: 'blocker',
      sentence: `This role may not read ${table}.`,
      remedy: grants.join(' '),
      figures: { grants: grants.join(' ') },
    }
  })
}

/** A44, E25: sessions that do not show whether they have a transaction open are invisible to the fence P1. */
export function sessionRights(sessions: Looked<SessionFigures | undefined>, wantsP1: boolean): Check {
  return judge('rights', sessions, (found) => {
    if (!found) return ok('No list of sessions is needed here.')
    const { role, seesAll, hidden, untracked, untrackedRoles } = found
    const figures = { hidden: String(hidden), untracked: String(untracked) }
    const severity = wantsP1 ? 'blocker' : 'note'
    const without = wantsP1
      ? 'fence: P1 cannot be taken'
      : 'the fence is taken from locks (P2), some seconds later'
    if (untracked > 0) {
      return {
        severity,
        sentence: `${sessionsOf(untracked)} of ${untrackedRoles.join(', ')} ${untracked === 1 ? 'shows' : 'show'} nothing (track_activities is off): ${without}.`,
        remedy: untrackedRoles
          .map((name) => `ALTER ROLE ${quoteIdentifier(name)} RESET track_activities;`)
          .join(' '),
        figures,
      }
    }
    if (seesAll) return ok(`The role ${role} sees when every session began.`, figures)
    return {
      severity,
      sentence: `The role ${role} may not see when the sessions of others began (${amount(hidden)} hidden now): ${without}.`,
      remedy: `GRANT pg_read_all_stats TO ${quoteIdentifier(role)};`,
      figures,
    }
  })
}

const sessionsOf = (count: number): string => (count === 1 ? '1 session' : `${amount(count)} sessions`)
