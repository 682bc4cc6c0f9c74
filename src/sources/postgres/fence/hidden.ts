import { PlimsollError } from '../../../kernel/errors.ts'
import { quoteIdentifier } from '../../../kernel/sql-text.ts'
import type { SessionsLook } from './sessions.ts'

const NAMED = 10

/** P1 was demanded and some sessions do not show when they began (spec E25a, b): names them and what cures it. */
export function hiddenSessions({ sessions }: SessionsLook, role: string): PlimsollError {
  const blind = sessions.filter((session) => session.blind)
  const named = blind
    .slice(0, NAMED)
    .map(({ pid, user, blind }) => `pid ${pid}${user ? ` of ${user}` : ''} (${blind})`)
  const more = blind.length > NAMED ? ` and ${blind.length - NAMED} more` : ''
  const cures = [
    ...(blind.some((session) => session.blind === 'hidden')
      ? [`GRANT pg_read_all_stats TO ${quoteIdentifier(role)};`]
      : []),
    ...[...new Set(blind.flatMap(({ blind, user }) => (blind === 'untracked' && user ? [user] : [])))].map(
      (user) => `ALTER ROLE ${quoteIdentifier(user)} RESET track_activities;`,
    ),
  ]
  const message = `sessions do not show whether they have a transaction open: ${named.join(', ')}${more}`
  return new PlimsollError('SOURCE_HIDDEN_SESSIONS', message, {
    hint: `${cures.join(' ')} Or let the fence choose its method (auto): P2 needs no rights.`,
    context: { count: blind.length, pids: blind.slice(0, NAMED).map(({ pid }) => pid) },
  })
}
