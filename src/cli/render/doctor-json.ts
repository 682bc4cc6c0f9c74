import type { Check } from '../../assure/doctor/check.ts'
import type { ExaminedSource } from '../../assure/doctor/examine-source.ts'
import type { Change } from '../../assure/doctor/keep-result.ts'

/** Tables that were passed over, and why. */
export interface LeftOut {
  readonly table: string
  readonly why: string
}

/** The answer of `doctor` as data: sources, their tables, their checks. */
export function examinedToJson(
  { address, identity, checks, tables }: ExaminedSource,
  leftOut: readonly LeftOut[],
  changes: readonly Change[] | undefined,
): Readonly<Record<string, unknown>> {
  const { engine, version, id, database, timeline } = identity
  return {
    source: address,
    identity: { engine, version, id, database, timeline },
    checks: checks.map(checkToJson),
    tables: tables.map((each) => ({
      table: each.table,
      position: each.position ?? null,
      key: each.key,
      checks: each.checks.map(checkToJson),
    })),
    left_out: leftOut,
    changes: changes ?? null,
  }
}

function checkToJson({ name, severity, sentence, remedy, figures, accepted }: Check) {
  return { name, severity, sentence, remedy: remedy ?? null, figures, accepted: accepted ?? null }
}
