import type { Position } from '../../../kernel/position.ts'
import type { SnapshotLookRequest } from '../../look.ts'
import type { Row } from '../connect/connection.ts'
import { positionFromText } from '../read/literals.ts'

/**
 * Positions that part the table into about so many windows of like size, from the server's own statistics (spec A5, A14):
 * they cost nothing, and where they are old the windows are merely uneven. Empty where there are none.
 */
export async function windowBorders(
  ask: (sql: string, values: readonly string[]) => Promise<readonly Row[]>,
  { shape, order }: SnapshotLookRequest,
  windowCount: number,
): Promise<readonly Position[]> {
  if (windowCount <= 1) return []
  const { schema, name } = shape.table
  const rows = await ask(
    `SELECT bound::text AS bound FROM pg_stats, unnest(histogram_bounds::text::text[]) WITH ORDINALITY b(bound, place)
     WHERE schemaname = $1 AND tablename = $2 AND attname = $3 ORDER BY inherited, place`,
    [schema, name, order.column],
  )
  const bounds = rows.flatMap(({ bound }) =>
    bound === null || /infinity|BC/.test(bound!) ? [] : [positionFromText(order, bound!)],
  )
  const step = bounds.length / windowCount
  const inner = Array.from({ length: windowCount - 1 }, (_, i) => bounds[Math.floor((i + 1) * step)])
  return inner.filter((position) => position !== undefined)
}
