import { PlimsollError } from '../../../kernel/errors.ts'
import type { FenceMethod } from '../../../kernel/fence.ts'
import { isTimeLike } from '../../../kernel/moment.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import type { FencePolicy } from '../../source.ts'

/** The methods PostgreSQL has. `timed`: P1 where the role may see all sessions, else P2. */
export type ChosenMethod = 'P1' | 'P2' | 'P3' | 'N1' | 'settle' | 'timed'

/** What bounds an order under a policy (spec E18); never `settle` unless asked. Throws CONFIG_INVALID for nonsense. */
export function chooseMethod(order: PositionOrder, policy: FencePolicy): ChosenMethod {
  const natural = order.kind === 'xid8' ? 'P3' : isTimeLike(order) ? 'timed' : 'N1'
  const asked: FenceMethod | 'auto' = policy.method
  if (natural === 'N1' && !policy.appendOnly && (asked === 'auto' || asked === 'N1')) {
    throw new PlimsollError(
      'CONFIG_INVALID',
      `${order.column} is numbered by a sequence, which updates do not move`,
      {
        hint: 'Declare appendOnly: true when rows are never updated, else choose a column that every change moves.',
      },
    )
  }
  if (asked === 'auto' || asked === natural) return natural
  if (natural === 'timed' && (asked === 'P1' || asked === 'P2' || asked === 'settle')) return asked
  throw new PlimsollError(
    'CONFIG_INVALID',
    `fence method ${asked} cannot bound ${order.column} (${order.kind})`,
    {
      hint: `Use method: auto, which is ${natural === 'timed' ? 'P1 or P2' : natural} here.`,
    },
  )
}
