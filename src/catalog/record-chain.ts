import { createHash } from 'node:crypto'
import { assert } from '../kernel/assert.ts'
import { canonicalJson } from '../kernel/canonical-json.ts'
import type { StoredRecord } from './catalog.ts'

/** What the first record of a stream names as the hash before it (spec A57). */
export const FIRST_PREV = '0'.repeat(64)
/** What it was in catalogs of the first programs, whose chains go on. */
const EARLIER_FIRST_PREV = ''
const VERSION = '1'

/**
 * A record as it is stored: canonical JSON whose values are texts, with the stream's names and the place in its chain
 * (`sequence`, from 1, and `prev`, the hash of the record before it), and the SHA-256 of that text (spec A57, E72).
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
  const json = canonicalJson(asTexts({ ...namesOf(stream), ...record, prev, sequence, version: VERSION }))
  return { runId, stream, sequence, json, hash: recordHash(json), prev }
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

/** The first record of a chain that does not stand where it was written, and how that shows. */
export interface ChainFault {
  readonly record: StoredRecord
  readonly what: string
}

/**
 * The first fault of a stream's records, oldest first, or undefined: a changed, missing, swapped or inserted one shows
 * (spec A58). `after`: the record before them, when they are not the first. Only the last record can be changed together
 * with its hash: a head kept elsewhere tells.
 */
export function chainFault(records: readonly StoredRecord[], after?: StoredRecord): ChainFault | undefined {
  let before = after
  let place = (after?.sequence ?? 0) + 1
  for (const record of records) {
    const what = faultOf(record, before, place, records)
    if (what !== undefined) return { record, what }
    before = record
    place++
  }
  return undefined
}

function faultOf(
  record: StoredRecord,
  before: StoredRecord | undefined,
  place: number,
  records: readonly StoredRecord[],
): string | undefined {
  if (recordHash(record.json) !== record.hash) return 'was changed: its text does not have its hash'
  const said = parse(record.json)
  if (said === undefined) return 'is no record'
  if (said.prev !== record.prev || Number(said.sequence) !== record.sequence)
    return `was moved: its text says that it is record ${said.sequence}`
  if (record.sequence !== place) {
    if (record.sequence < place) return `stands there twice: one of the two was inserted`
    const isLater = records.some((each) => each.sequence === place)
    return isLater
      ? `stands where record ${place} belongs: the two were swapped`
      : `follows a gap: record ${place} is missing`
  }
  if (before) {
    return record.prev === before.hash
      ? undefined
      : `does not follow record ${before.sequence}: that one was replaced`
  }
  return record.prev === FIRST_PREV || record.prev === EARLIER_FIRST_PREV
    ? undefined
    : 'is not the first: those before it are missing'
}

export function recordHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

function parse(json: string): { readonly prev?: unknown; readonly sequence?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** `pipeline/stream` as the catalog's key says them; what the record itself says stands. */
function namesOf(key: string): { readonly pipeline?: string; readonly stream: string } {
  const slash = key.indexOf('/')
  return slash < 0 ? { stream: key } : { pipeline: key.slice(0, slash), stream: key.slice(slash + 1) }
}

/** Every number and boolean as its text: what is left are texts, nulls, objects and arrays (spec A57). */
function asTexts(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return canonicalJson(value)
  if (Array.isArray(value))
    return Array.from(value, (each) => (each === undefined ? undefined : asTexts(each)))
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asTexts(each)]))
}
