import type {
  CompleteAnswer,
  CompleteQuestion,
  StreamAnswer,
} from '../../assure/complete/complete-through.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { Colour } from './colour.ts'
import { positionJson } from './position.ts'
import { renderFields } from './table.ts'

/** What no fence covers (spec E22, A55). */
export const NOT_COVERED =
  'It means every row positioned before. Dates written by hand, restores and deletes are found by audit and reconcile.'

/** Yes or no, the minimum over the streams and who holds it, then every stream that fails and why (spec A54). */
export function renderComplete(
  answer: CompleteAnswer,
  { throughUs }: CompleteQuestion,
  colour: Colour,
): string {
  const { holds, completeThroughUs, heldBy, streams } = answer
  const asked = formatTimestampUs(throughUs, 'Z')
  const head = holds
    ? `${colour.green('✓')} complete through ${asked}`
    : `${colour.red('✗')} not complete through ${asked}`
  const fields: [string, string][] = [['value', instant(completeThroughUs)]]
  if (heldBy) fields.push(['held by', `${heldBy.stream}: ${heldBy.cause}`])
  for (const each of streams) {
    if (each.failures.length > 0) fields.push([each.stream, failureText(each)])
  }
  return `${head}\n${renderFields(fields, '  ')}`
}

function failureText({ failures, heldBy }: StreamAnswer): string {
  return [...failures, ...(heldBy === undefined ? [] : [`held by: ${heldBy}`])].join('\n')
}

export function completeToJson(
  { holds, completeThroughUs, heldBy, streams }: CompleteAnswer,
  { throughUs, require }: CompleteQuestion,
): Readonly<Record<string, unknown>> {
  return {
    holds,
    through_us: String(throughUs),
    through: formatTimestampUs(throughUs, 'Z'),
    require,
    complete_through_us: textOrNull(completeThroughUs),
    complete_through: completeThroughUs === undefined ? null : formatTimestampUs(completeThroughUs, 'Z'),
    held_by: heldBy ?? null,
    streams: streams.map((each) => ({
      stream: each.stream,
      holds: each.failures.length === 0,
      complete_through_us: textOrNull(each.completeThroughUs),
      watermark: positionJson(each.claim?.watermark),
      proof: each.proof ?? null,
      claim_from: each.claim?.from ?? null,
      failures: each.failures,
      held_by: each.heldBy ?? null,
    })),
  }
}

const textOrNull = (us: bigint | undefined): string | null => (us === undefined ? null : String(us))

const instant = (us: bigint | undefined): string =>
  us === undefined ? 'no instant yet' : formatTimestampUs(us, 'Z')
