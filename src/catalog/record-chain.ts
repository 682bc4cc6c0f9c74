import { createHash } from 'node:crypto'
import { assert } from '../kernel/assert.ts'
import { canonicalJson } from '../kernel/canonical-json.ts'
import type { StoredRecord } from './catalog.ts'

/** What the first record of a stream names as the hash before it. */
export const FIRST_PREV = ''

/**
 * A run's record as it is stored: canonical JSON that holds its place in the stream's chain (`sequence`, from 1, and
 * `prev`, the hash of the record before it), with the SHA-256 of that text (spec E72).
 */
export function sealRecord(
  runId: string,
  stream: string,
  record: Readonly<Record<string, unknown>>,
  previous: Pick<StoredRecord, 'sequence' | 'hash'> | undefined,
): StoredRecord {
  assert(!('prev' in record) && !('sequence' in record), 'a record has a place in a chain already')
  const sequence = (previous?.sequence ?? 0) + 1
  const prev = previous?.hash ?? FIRST_PREV
  const json = canonicalJson({ ...record, prev, sequence })
  return { runId, stream, sequence, json, hash: sha256(json), prev }
}

/** The record of something that was never open (spec A57): its `run_id`, else its kind and place, names it. */
export function sealUnopened(
  stream: string,
  record: Readonly<Record<string, unknown>>,
  previous: StoredRecord | undefined,
): StoredRecord {
  const { run_id: said, kind } = record
  assert(typeof kind === 'string', 'a record says of what kind it is')
  const runId = typeof said === 'string' ? said : `${kind}-${(previous?.sequence ?? 0) + 1}`
  return sealRecord(runId, stream, record, previous)
}

/** What is wrong with a stream's records, oldest first, or undefined: an edited, missing or swapped one shows (spec E72). */
export function chainFault(records: readonly StoredRecord[]): string | undefined {
  let sequence = 1
  let prev = FIRST_PREV
  for (const record of records) {
    const place = `record ${record.sequence} of ${record.stream} (${record.runId})`
    if (sha256(record.json) !== record.hash) return `${place} was edited`
    const said = JSON.parse(record.json) as { prev?: unknown; sequence?: unknown }
    if (said.prev !== record.prev || said.sequence !== record.sequence) return `${place} was moved`
    if (record.sequence !== sequence || record.prev !== prev) return `the record before ${place} is missing`
    sequence++
    prev = record.hash
  }
  return undefined
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
