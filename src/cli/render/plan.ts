import type { StreamPlan } from '../../extract/index.ts'
import { formatPosition } from '../../kernel/print.ts'
import { rangeToJson } from '../../kernel/range.ts'
import type { Colour } from './colour.ts'
import { formatAmount, formatRange, positionJson } from './position.ts'
import { plural } from './quantity.ts'
import { renderFields } from './table.ts'

interface FenceJson {
  readonly method?: string
  readonly value?: unknown
  readonly proof?: string
  readonly proofReason?: string
  readonly heldBecause?: string | null
  readonly witnesses?: readonly Readonly<Record<string, unknown>>[]
}

const BORDERS_SHOWN = 5

/** What a run of one table would do, and what would stop it. */
export function renderPlan(plan: StreamPlan, colour: Colour): string {
  const fence = plan.fence as FenceJson | undefined
  const fields: [string, string][] = [
    ...plan.said.map((said): [string, string] => ['chosen', said]),
    [
      'claim',
      plan.claim ? claimText(plan.claim) : 'none yet: the first run loads everything below the fence',
    ],
  ]
  if (fence) fields.push(['fence', fenceText(fence, plan)], ['witnesses', witnessText(fence.witnesses ?? [])])
  if (plan.overlap)
    fields.push(['overlap', `${formatAmount(plan.overlap.amount, isTime(plan))} (${plan.overlap.origin})`])
  fields.push([
    'range',
    plan.range ? formatRange(plan.range) : 'nothing to read: the fence has not passed the watermark',
  ])
  if (plan.range) fields.push(['slices', sliceText(plan)])
  if (plan.expectedRows !== undefined) fields.push(['expected', `about ${plural(plan.expectedRows, 'row')}`])
  for (const sql of plan.sql) fields.push(['SQL', sql])
  for (const { code, message, hint } of plan.obstacles) {
    fields.push([colour.red('stops'), `${code}: ${message}${hint === undefined ? '' : `\n${hint}`}`])
  }
  const ready = plan.obstacles.length === 0
  const head = `${ready ? colour.green('✓') : colour.red('✗')} ${colour.bold(plan.stream)}`
  return `${head}\n${renderFields(fields, '  ')}`
}

const isTime = (plan: StreamPlan): boolean => {
  const kind = plan.range?.upper.kind ?? plan.claim?.watermark?.kind ?? 'timestamptz'
  return kind !== 'integer' && kind !== 'xid8'
}

function claimText({ generation, watermark, proof }: NonNullable<StreamPlan['claim']>): string {
  return `complete below ${formatPosition(watermark)}, ${proof}, generation ${generation}`
}

function fenceText(fence: FenceJson, plan: StreamPlan): string {
  const value = plan.range
    ? formatPosition(plan.range.upper)
    : (fence.heldBecause ?? 'not above the watermark')
  return `${fence.method}: ${value}\n${fence.proof}${fence.proofReason ? `: ${fence.proofReason}` : ''}`
}

function witnessText(witnesses: readonly Readonly<Record<string, unknown>>[]): string {
  if (witnesses.length === 0) return 'nobody is writing'
  return witnesses
    .map((witness) =>
      [witness.pid === undefined ? 'key' : 'pid', 'user', 'application', 'client', 'state']
        .flatMap((name) => (witness[name] === undefined ? [] : [`${name} ${witness[name]}`]))
        .join(', '),
    )
    .join('\n')
}

function sliceText({ sliceBorders }: StreamPlan): string {
  if (sliceBorders.length === 0) return '1'
  const shown = sliceBorders.slice(0, BORDERS_SHOWN).map(formatPosition).join(', ')
  const more = sliceBorders.length > BORDERS_SHOWN ? `, and ${sliceBorders.length - BORDERS_SHOWN} more` : ''
  return `${sliceBorders.length + 1}, cut at ${shown}${more}`
}

export function planToJson(plan: StreamPlan): Readonly<Record<string, unknown>> {
  return {
    stream: plan.stream,
    said: plan.said,
    claim: plan.claim ? { ...plan.claim, watermark: positionJson(plan.claim.watermark) } : null,
    fence: plan.fence ?? null,
    overlap: plan.overlap ?? null,
    range: plan.range ? rangeToJson(plan.range) : null,
    slice_borders: plan.sliceBorders.map(positionJson),
    sql: plan.sql,
    expected_rows: plan.expectedRows ?? null,
    obstacles: plan.obstacles.map(({ code, message, hint }) => ({ code, message, hint: hint ?? null })),
  }
}
