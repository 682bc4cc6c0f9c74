import { choose } from '../../extract/choose.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { PositionFact, Source, TableShape } from '../../sources/source.ts'

/** A table as it can be looked at, also where a run would refuse it. */
export interface ChosenOrder {
  readonly shape: TableShape
  readonly order: PositionOrder
  readonly zoneKnown: boolean
  /** Empty where nothing identifies a row. */
  readonly key: readonly string[]
  readonly keyEnforced: boolean
}

/**
 * What orders and identifies the table. A missing key, or a zone that nobody declared, is found by a check and stops none
 * of the others: such positions are read as if in UTC and compared with no clock. Throws the errors of `describe`, and of
 * `choose` where no column can order the table.
 */
export async function chooseOrder(source: Source, settings: StreamSettings): Promise<ChosenOrder> {
  const shape = await source.describe(settings.table, settings.position)
  try {
    return { ...chooseWithoutKey(settings, shape), shape, zoneKnown: true }
  } catch (error) {
    const column = isAboutPosition(error) ? withoutZone(settings, shape) : undefined
    if (column === undefined) throw error
    const assumed = { ...settings, position: { ...settings.position, column, zone: 'UTC' } }
    const described = await source.describe(settings.table, assumed.position)
    return { ...chooseWithoutKey(assumed, described), shape: described, zoneKnown: false }
  }
}

function chooseWithoutKey(
  settings: StreamSettings,
  shape: TableShape,
): Omit<ChosenOrder, 'shape' | 'zoneKnown'> {
  try {
    return choose(settings, shape)
  } catch (error) {
    const [some] = shape.columns
    if (!(error instanceof PlimsollError) || error.code !== 'KEY_MISSING' || settings.key || !some)
      throw error
    return { ...choose({ ...settings, key: [some.name] }, shape), key: [], keyEnforced: false }
  }
}

const isAboutPosition = (error: unknown): boolean =>
  error instanceof PlimsollError && ['POSITION_MISSING', 'POSITION_REFUSED'].includes(error.code)

/** The column that would order the table if its zone were known: the declared one, or the best of them. */
function withoutZone({ position }: StreamSettings, shape: TableShape): string | undefined {
  const isWall = ({ column, order }: PositionFact): boolean =>
    !order &&
    ['timestamp', 'date'].includes(shape.columns.find(({ name }) => name === column)?.type.name ?? '')
  const candidates = shape.positions.filter(
    (fact) => isWall(fact) && (position === undefined ? fact.score > 0 : fact.column === position.column),
  )
  return candidates.sort((a, b) => b.score - a.score)[0]?.column
}
