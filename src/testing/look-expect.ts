import type { ComparisonPlan, WordKind } from '../kernel/fingerprint/comparison.ts'
import type { FoundRow, Look } from '../sources/look.ts'
import type { TestRow } from './destination-rows.ts'
import type { TestStream } from './destination-stream.ts'
import { clientRow, planOf } from './look-rows.ts'

export const lookLimits = { queryMaxMs: 60_000, lockTimeoutMs: 5_000 }

/** The plan of a comparison of a suite's stream. */
export async function streamPlan(
  { table, destination }: TestStream,
  digest: ComparisonPlan['digest'] = 'md5',
): Promise<ComparisonPlan> {
  return planOf({ ...table, digest, destinationEngine: (await destination.identity()).engine })
}

/** The row of a look that the program makes of a row as it landed, in the table's order. */
export function expectedRow(
  plan: ComparisonPlan,
  { table }: TestStream,
  row: TestRow,
  word: WordKind,
): FoundRow {
  const place = (name: string) => table.columns.findIndex((column) => column.name === name)
  return clientRow(
    plan,
    plan.columns.map(({ name }) => row[place(name)]!),
    word,
  )
}

/** Opens a look of what stands now, and always closes it. */
export async function withLook(
  { destination, table }: TestStream,
  plan: ComparisonPlan,
  work: (look: Look) => Promise<void>,
): Promise<void> {
  const { look } = await destination.openLook({ table, plan, ...lookLimits })
  try {
    await work(look)
  } finally {
    await look.close()
  }
}
