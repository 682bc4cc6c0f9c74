import { US_PER_DAY, US_PER_MINUTE } from '../../../kernel/calendar.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { formatSpanUs } from '../../../kernel/print.ts'
import type { OrderDeclaration } from '../../source.ts'
import type { ClockEvidence } from './clock-text.ts'
import type { ColumnFacts } from './columns.ts'
import type { Evidence } from './evidence.ts'
import { affinityOf } from './logical-type.ts'

export type OrderAnswer = { readonly order: PositionOrder } | { readonly refused: string }

export interface OrderFacts {
  readonly evidence: Evidence
  readonly autoincrement: boolean
  /** The template of most of the newest values. */
  readonly template: string | undefined
}

const MS_TICK = 1_000n
const FALLBACK_TEMPLATE = 'YYYY-MM-DD HH:MM:SS'

/** The order a column gives to its table, or why it gives none (spec E1, E7, E8, E35). Its grain is its tick yet. */
export function orderOfColumn(
  column: ColumnFacts,
  declared: OrderDeclaration | undefined,
  facts: OrderFacts,
): OrderAnswer {
  const answer = orderByType(column, declared, facts)
  if ('refused' in answer) return answer
  const { kind, tick } = answer.order
  if (declared?.kind !== undefined && declared.kind !== kind) {
    return { refused: `it was declared ${declared.kind} but is ${kind}` }
  }
  const grain = declared?.grain
  if (grain !== undefined && (grain < tick || grain % tick !== 0n)) {
    const declaredGrain = formatSpanUs(grain)
    return {
      refused: `the declared grain of ${declaredGrain} is no multiple of its smallest step, ${formatSpanUs(tick)}`,
    }
  }
  return answer
}

type Rest = Omit<PositionOrder, 'column' | 'stampedBy' | 'grain'>

function orderByType(
  column: ColumnFacts,
  declared: OrderDeclaration | undefined,
  facts: OrderFacts,
): OrderAnswer {
  const order = (rest: Rest): OrderAnswer => ({
    order: {
      column: column.shape.name,
      stampedBy: declared?.stampedBy ?? 'unknown',
      grain: rest.tick,
      ...rest,
    },
  })
  switch (column.shape.type.name) {
    case 'int8':
      return integerOrder(order, column, declared, facts)
    case 'text':
      return textOrder(order, column, declared, facts)
    case 'float8':
      return { refused: 'a float is not exact' }
    default:
      return { refused: `${column.shape.nativeType || 'a column without a type'} has no exact order` }
  }
}

function integerOrder(
  order: (rest: Rest) => OrderAnswer,
  column: ColumnFacts,
  declared: OrderDeclaration | undefined,
  { evidence, autoincrement }: OrderFacts,
): OrderAnswer {
  const clock = epochOf(evidence.clockTrigger) ?? epochOf(evidence.clockDefault)
  const unit = declared?.unit ?? clock?.unit
  const flavour =
    declared?.flavour ?? (unit ? 'epoch' : autoincrement && column.isRowid ? 'sequence' : undefined)
  if (flavour === 'epoch') {
    if (unit === undefined) return { refused: 'a moment as a number needs its unit: s, ms, us or ns' }
    return order({ kind: 'integer', flavour, unit, tick: 1n })
  }
  if (column.isRowid && !autoincrement) {
    return { refused: 'rowids are used again after deletes; only AUTOINCREMENT makes a sequence of them' }
  }
  if (flavour === 'sequence' && column.isRowid) return order({ kind: 'integer', flavour, tick: 1n })
  return {
    refused:
      'a number that no AUTOINCREMENT counts: declare unit: s, ms, us or ns if it is a moment; another counter has no fence here',
  }
}

function textOrder(
  order: (rest: Rest) => OrderAnswer,
  column: ColumnFacts,
  declared: OrderDeclaration | undefined,
  { evidence, template: seen }: OrderFacts,
): OrderAnswer {
  const { collation = 'BINARY', nativeType } = column.shape
  if (collation !== 'BINARY') return { refused: `its collation ${collation} does not order by bytes` }
  const encoding = declared?.encoding
  if (encoding === 'ulid' && affinityOf(nativeType) === 'NUMERIC') {
    return { refused: `SQLite makes numbers of some texts in a column of type ${nativeType}` }
  }
  if (encoding === 'ulid' || encoding === 'uuidv7') {
    return order({ kind: 'text', encoding, collation, tick: MS_TICK })
  }
  const clocks = [evidence.clockTrigger, evidence.clockDefault]
  if (clocks.some((clock) => clock?.kind === 'text' && clock.local)) {
    return { refused: 'it is stamped in local time, which repeats an hour each autumn; stamp it in UTC' }
  }
  const expected = clocks.find((clock) => clock?.kind === 'text')
  const template =
    seen ??
    (expected?.kind === 'text' ? expected.template : undefined) ??
    (encoding === 'iso' ? FALLBACK_TEMPLATE : undefined)
  if (template === undefined) {
    return { refused: 'no value and no default shows a fixed width such as YYYY-MM-DD HH:MM:SS' }
  }
  return order({ kind: 'text', encoding: 'iso', template, collation, tick: tickOfTemplate(template) })
}

function epochOf(clock: ClockEvidence | undefined) {
  return clock?.kind === 'epoch' ? clock : undefined
}

function tickOfTemplate(template: string): bigint {
  if (template.length <= 10) return US_PER_DAY
  if (template.length < 19) return US_PER_MINUTE
  const digits = /\.(S+)/.exec(template)?.[1]?.length ?? 0
  return 10n ** BigInt(6 - digits)
}
