import type { VerifiedStream } from '../../assure/verify/verify-stream.ts'
import type { Colour } from './colour.ts'
import { formatStored } from './position.ts'
import { plural } from './quantity.ts'
import { renderFields } from './table.ts'

/** What a stream's records prove, and the first that fails (spec A58). */
export function renderVerified(verified: VerifiedStream, colour: Colour): string {
  const { stream, recordCount, checkedCount, fault, head, openDecrees, watermark, generation } = verified
  const checked = checkedCount === recordCount ? '' : `, ${checkedCount} of them checked`
  const mark = fault ? colour.red('✗') : colour.green('✓')
  const fields: [string, string][] = []
  if (fault) {
    fields.push(
      [colour.red('fails'), `record ${fault.sequence} (${fault.runId || 'none'}) ${fault.what}`],
      ['look', `plimsoll trace ${fault.runId}`],
      ['runbook', `docs/runbooks/${fault.isDisagreement ? 'destination_lost_rows' : 'chain_broken'}.md`],
    )
  } else {
    fields.push(['claims', `complete below ${formatStored(watermark)}, generation ${generation ?? 'none'}`])
    for (const key of openDecrees) fields.push(['open', `the bill of ${key}`])
    fields.push(['head', head ?? 'none'])
  }
  return `${mark} ${colour.bold(stream)}  ${plural(recordCount, 'record')}${checked}\n${renderFields(fields, '  ')}`
}

export function verifiedToJson(verified: VerifiedStream): Readonly<Record<string, unknown>> {
  const { stream, recordCount, checkedCount, head, generation, watermark, openDecrees, fault } = verified
  return {
    stream,
    record_count: recordCount,
    checked_count: checkedCount,
    head: head ?? null,
    generation: generation ?? null,
    watermark: watermark ?? null,
    open_decrees: openDecrees,
    fault: fault
      ? { sequence: fault.sequence, run_id: fault.runId, kind: fault.kind, what: fault.what }
      : null,
  }
}
