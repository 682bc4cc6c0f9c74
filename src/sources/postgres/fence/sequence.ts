import { PlimsollError } from '../../../kernel/errors.ts'
import type { FenceRequest } from '../../source.ts'
import { bigintOf, type ControlConnection, isTrue } from './control.ts'
import { SEQUENCES } from './queries.ts'

export interface Sequence {
  readonly oid: string
  /** Quoted. */
  readonly name: string
  readonly cache: bigint
}

/** The one sequence that numbers the position column, counting upwards for ever (spec E35). Throws POSITION_REFUSED. */
export async function findSequence(connection: ControlConnection, request: FenceRequest): Promise<Sequence> {
  const { shape, order } = request
  const rows = await connection.rows(SEQUENCES, [shape.objectId, order.column])
  const [row] = rows
  const column = `${shape.table.schema}.${shape.table.name}.${order.column}`
  if (!row || rows.length > 1) {
    const found = row ? `by ${rows.map(({ name }) => name).join(' and ')}` : 'by no sequence'
    throw refused(
      `${column} is numbered ${found}`,
      'Use an identity or serial column, or a column that orders by time.',
    )
  }
  const name = row.name as string
  if (isTrue(row.cycle) || bigintOf(row, 'increment') < 1n) {
    throw refused(
      `sequence ${name} does not count upwards for ever`,
      `ALTER SEQUENCE ${name} INCREMENT 1 NO CYCLE;`,
    )
  }
  if (!isTrue(row.readable)) {
    throw refused(`sequence ${name} cannot be read`, `GRANT SELECT ON SEQUENCE ${name} TO CURRENT_ROLE;`)
  }
  return { oid: row.oid as string, name, cache: bigintOf(row, 'cache') }
}

function refused(message: string, hint: string): PlimsollError {
  return new PlimsollError('POSITION_REFUSED', message, { hint })
}

/** The counter fell: the numbers below it will be given again (spec E35). */
export function counterFell({ name }: Sequence, before: bigint, now: bigint): PlimsollError {
  return new PlimsollError('SOURCE_WENT_BACK', `sequence ${name} went back from ${before} to ${now}`, {
    hint: `New rows would get numbers that were read already. If nothing was restored: SELECT setval('${name.replaceAll("'", "''")}', ${before});`,
    context: { sequence: name, before: String(before), now: String(now) },
  })
}
