import { PlimsollError } from '../kernel/errors.ts'
import type { Fence } from '../kernel/fence.ts'
import type { Range } from '../kernel/range.ts'
import type { QueryPlan } from '../sources/source.ts'
import { readerRequest } from './reader-request.ts'
import type { StreamSession } from './stream-session.ts'

/**
 * EXPLAINs the range query before it runs; a scan or sort of a large table outside the first load stops the stream
 * (spec E51). A first load goes on, with the obstacle that the next run will meet. Throws PLAN_TOO_EXPENSIVE, naming the
 * missing index.
 */
export async function checkPlan(
  session: Pick<StreamSession, 'engine' | 'settings' | 'shape' | 'choice'>,
  fence: Fence,
  range: Range,
): Promise<QueryPlan> {
  const request = readerRequest(session, fence.logPosition, fence.t0)
  const plan = await session.engine.source.explain(request, range)
  if (plan.obstacle !== undefined && range.lower !== undefined) {
    throw new PlimsollError(
      'PLAN_TOO_EXPENSIVE',
      `${session.settings.stream}: reading the range would scan the whole table`,
      {
        hint: plan.obstacle,
        context: {
          expected_rows: plan.expectedRows,
          full_scan_max_rows: session.settings.limits.fullScanMaxRows,
        },
      },
    )
  }
  return plan
}
