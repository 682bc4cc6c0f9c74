import type { Catalog } from '../../catalog/catalog.ts'
import { openVerifier, type VerifiedStream, type VerifyOptions } from './verify-stream.ts'

const CHAIN_BROKEN = 'chain_broken'
const PAGE = 1_000

/**
 * Verifies a stream's records in the own catalog. That they are broken is an alarm until a person opens a new generation
 * (spec A59): what stands before that act stays broken, and is no news. That the two sides differ is another alarm.
 */
export async function verifyInCatalog(
  catalog: Catalog,
  stream: string,
  options: VerifyOptions,
): Promise<VerifiedStream> {
  const verifier = openVerifier(stream, options)
  for (let after = 0; ; ) {
    const page = await catalog.recordsAfter(stream, after, PAGE)
    verifier.take(page)
    if (page.length < PAGE) break
    after = page.at(-1)!.sequence
  }
  const verified = verifier.end()
  const { fault, rewoundSince } = verified
  if (fault && !fault.isDisagreement && !rewoundSince) {
    const text = `record ${fault.sequence} (${fault.runId}) ${fault.what}`
    await catalog.raiseAlarm(stream, CHAIN_BROKEN, text, String(fault.sequence))
  }
  return verified
}
