import type { CheckSession } from '../check-session.ts'

/** Up to here a share of the table says nothing (spec A27). */
const FEW_ROWS = 100
const DELETE_MAX_SHARE = 0.01

/**
 * Why these rows must not be taken away now; undefined when they may (spec A27). That both looks found them absent, under
 * an unchanged identity, is the caller's part.
 */
export function refusesRemoval(
  check: CheckSession,
  removeCount: number,
  sourceRows: bigint,
): string | undefined {
  const { shape, settings, goneParts } = check
  if (removeCount === 0) return undefined
  if (shape.kind === 'view') return 'the source is a view: rows may have left its filter and still be there'
  if (sourceRows === 0n) return 'the source shows no row at all'
  if (goneParts > 0)
    return `${goneParts} partitions are gone from the table: their rows may be kept elsewhere`
  const { deleteMaxRows } = settings.limits
  if (removeCount > deleteMaxRows) return `${removeCount} rows are more than deleteMaxRows (${deleteMaxRows})`
  const share = removeCount / Number(sourceRows)
  if (removeCount > FEW_ROWS && share > DELETE_MAX_SHARE) {
    return `${removeCount} rows are ${(share * 100).toFixed(1)} % of the table, more than ${DELETE_MAX_SHARE * 100} % at once`
  }
  return undefined
}
