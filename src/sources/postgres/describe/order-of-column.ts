import { US_PER_DAY } from '../../../kernel/calendar.ts'
import type { PositionOrder } from '../../../kernel/order.ts'
import { formatSpanUs } from '../../../kernel/print.ts'
import type { ColumnShape, OrderDeclaration } from '../../source.ts'
import type { Evidence } from './evidence.ts'

export type OrderAnswer = { readonly order: PositionOrder } | { readonly refused: string }

/** What else is known of the column. */
export interface OrderFacts {
  readonly evidence: Evidence
  readonly collationRefusal: string | undefined
  readonly template: string | undefined
}

/** The order a column gives to its table, or why it gives none (spec E1, E6, E7). */
export function orderOfColumn(
  column: ColumnShape,
  declared: OrderDeclaration | undefined,
  facts: OrderFacts,
): OrderAnswer {
  const answer = orderByType(column, declared, facts)
  if ('refused' in answer) return answer
  const kind = answer.order.kind
  if (declared?.kind !== undefined && declared.kind !== kind) {
    return { refused: `it was declared ${declared.kind} but is ${kind} (${column.nativeType})` }
  }
  const grain = declared?.grain ?? answer.order.tick
  if (grain < answer.order.tick || grain % answer.order.tick !== 0n) {
    return { refused: notInSteps(grain, answer.order.tick) }
  }
  return { order: { ...answer.order, grain } }
}

function orderByType(
  column: ColumnShape,
  declared: OrderDeclaration | undefined,
  { evidence, collationRefusal, template }: OrderFacts,
): OrderAnswer {
  const { type, nativeType } = column
  const base = { column: column.name, stampedBy: declared?.stampedBy ?? 'unknown' } as const
  const order = (rest: Omit<PositionOrder, 'column' | 'stampedBy' | 'grain'>): OrderAnswer => ({
    order: { ...base, grain: rest.tick, ...rest },
  })
  switch (type.name) {
    case 'timestamptz':
      return order({ kind: 'timestamptz', tick: tickOf(nativeType) })
    case 'timestamp':
    case 'date': {
      const zone = declared?.zone ?? evidence.zone
      if (zone === undefined) {
        return {
          refused: `${nativeType} has no time zone: declare the zone its writers mean, e.g. zone: UTC`,
        }
      }
      return order({ kind: type.name, zone, tick: type.name === 'date' ? US_PER_DAY : tickOf(nativeType) })
    }
    case 'int2':
    case 'int4':
    case 'int8':
      return integerOrder(order, nativeType, declared, evidence)
    case 'numeric':
      if (nativeType !== 'money' && type.scale === 0)
        return integerOrder(order, nativeType, declared, evidence)
      return { refused: `${nativeType} is not an exact integer` }
    case 'uint8':
      return order({ kind: 'xid8', tick: 1n })
    case 'uuid':
      if (declared?.encoding === 'uuidv7') return order({ kind: 'text', encoding: 'uuidv7', tick: 1_000n })
      return { refused: 'a uuid has no order in time unless it is declared: encoding: uuidv7' }
    case 'text':
      return textOrder(order, column, declared, collationRefusal, template)
    default:
      return { refused: `${nativeType} has no exact order` }
  }
}

type MakeOrder = (rest: Omit<PositionOrder, 'column' | 'stampedBy' | 'grain'>) => OrderAnswer

function integerOrder(
  order: MakeOrder,
  nativeType: string,
  declared: OrderDeclaration | undefined,
  evidence: Evidence,
): OrderAnswer {
  if (nativeType === 'oid') return { refused: 'an oid is reused' }
  const flavour = declared?.flavour ?? (declared?.unit ? 'epoch' : undefined)
  if (flavour === 'epoch') {
    if (!declared?.unit) return { refused: 'a moment as a number needs its unit: s, ms, us or ns' }
    return order({ kind: 'integer', flavour, unit: declared.unit, tick: 1n })
  }
  if (flavour === 'sequence' || evidence.sequence)
    return order({ kind: 'integer', flavour: 'sequence', tick: 1n })
  return {
    refused:
      'a number without a sequence: declare flavour: sequence for a counter, or unit: s, ms, us or ns for a moment',
  }
}

function textOrder(
  order: MakeOrder,
  column: ColumnShape,
  declared: OrderDeclaration | undefined,
  collationRefusal: string | undefined,
  template: string | undefined,
): OrderAnswer {
  if (collationRefusal) return { refused: collationRefusal }
  if (!/^(text|character varying)/.test(column.nativeType)) {
    return { refused: `${column.nativeType} does not compare as bytes` }
  }
  const collation = column.collation ?? 'default'
  const encoding = declared?.encoding
  if (encoding === undefined)
    return { refused: 'text has no order in time unless its encoding is declared: iso, ulid or uuidv7' }
  if (encoding !== 'iso') return order({ kind: 'text', encoding, collation, tick: 1_000n })
  if (template === undefined) {
    return { refused: 'no value of it shows a fixed width such as YYYY-MM-DD HH:MM:SS' }
  }
  return order({ kind: 'text', encoding, template, collation, tick: tickOfTemplate(template) })
}

/** The declared precision of a timestamp: `timestamp(3) with time zone`; six digits without one. */
function tickOf(nativeType: string): bigint {
  return 10n ** BigInt(6 - Number(/\((\d)\)/.exec(nativeType)?.[1] ?? 6))
}

function tickOfTemplate(template: string): bigint {
  if (template.length <= 10) return US_PER_DAY
  if (template.length < 19) return 60_000_000n
  const digits = /\.(S+)/.exec(template)?.[1]?.length ?? 0
  return 10n ** BigInt(6 - Math.min(6, digits))
}

const notInSteps = (grain: bigint, tick: bigint): string =>
  `the declared grain of ${formatSpanUs(grain)} is no multiple of its smallest step, ${formatSpanUs(tick)}`
