import { z } from 'zod'
import { alarmLevel } from '../kernel/alarm.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { FINDING_STATES, MECHANISMS, VERDICTS } from '../kernel/finding.ts'
import type { LedgerEntry } from '../kernel/ledger.ts'
import { rangeFromJson, rangeToJson } from '../kernel/range.ts'
import type { Alarm } from './catalog.ts'
import { chainFault } from './record-chain.ts'

const bigintText = z.string().regex(/^-?\d+$/)
const position = z.union([
  z.strictObject({ kind: z.literal('text'), value: z.string() }),
  z.strictObject({
    kind: z.enum(['timestamptz', 'timestamp', 'date', 'integer', 'xid8']),
    value: bigintText,
  }),
])
const ledgerRow = z.strictObject({
  generation: z.int(),
  runId: z.string(),
  kind: z.enum(['run', 'first_load', 'backfill', 'repair', 'bill']),
  state: z.enum(['landed', 'hole', 'decreed']),
  range: z.strictObject({ lower: position.nullable(), upper: position }),
  proof: z.enum(['proven', 'measured', 'assumed']),
  batchId: z.string(),
  readSeq: z.int(),
  reason: z.string(),
})
const finding = z.strictObject({
  id: z.string(),
  checkId: z.string(),
  generation: z.int(),
  keyText: z.string(),
  key: z.array(z.string()).readonly(),
  verdict: z.enum(VERDICTS),
  mechanism: z.enum(MECHANISMS),
  grade: z.enum(['shown', 'suggested', 'none']),
  state: z.enum(FINDING_STATES),
  sourcePosition: z.string().nullable(),
  destinationPosition: z.string().nullable(),
  columns: z.array(z.strictObject({ column: z.string(), how: z.string() })).readonly(),
  evidence: z.record(z.string(), z.string()),
  foundUs: bigintText,
  changedUs: bigintText,
  closedBy: z.string().nullable(),
})
const streamExport = z.strictObject({
  stream: z.string(),
  epoch: z.int(),
  records: z.array(
    z.strictObject({
      runId: z.string(),
      sequence: z.int(),
      json: z.string(),
      hash: z.string(),
      prev: z.string(),
    }),
  ),
  openRuns: z.array(
    z.strictObject({
      runId: z.string(),
      epoch: z.int(),
      openedUs: bigintText,
      host: z.string(),
      pid: z.int(),
      kind: z.string(),
    }),
  ),
  ranges: z.array(ledgerRow),
  alarms: z.array(
    z.strictObject({
      name: z.string(),
      text: z.string(),
      evidence: z.string(),
      raisedUs: bigintText,
      resolvedUs: bigintText.nullable(),
      // Absent in exports of the first programs.
      level: z.enum(['page', 'notice']).optional(),
      latest: z.string().optional(),
      count: z.int().optional(),
      seenUs: bigintText.optional(),
    }),
  ),
  /** Absent in exports of the first programs, which had none. */
  findings: z.array(finding).default([]),
})
const catalogExport = z.strictObject({
  format: z.literal('plimsoll-catalog'),
  version: z.literal(1),
  streams: z.array(streamExport),
  memory: z.array(z.strictObject({ scope: z.string(), name: z.string(), json: z.string() })),
})

/** What `export` writes and `import` reads: everything but leases, exact numbers as text. */
export type CatalogExport = z.infer<typeof catalogExport>
export type StreamExport = CatalogExport['streams'][number]
export type LedgerRow = StreamExport['ranges'][number]

/** Reads an exported catalog. Throws STATE_INVALID for another format or version, and for a broken record chain. */
export function parseExport(text: string): CatalogExport {
  const content = readExport(text)
  for (const { stream, records } of content.streams) {
    const fault = chainFault(records.map((record) => ({ ...record, stream })))
    if (fault)
      throw invalid(`record ${fault.record.sequence} of ${stream} (${fault.record.runId}) ${fault.what}`)
  }
  return content
}

/** The same, whatever its record chains are worth: `verify` says that (spec A58). */
export function readExport(text: string): CatalogExport {
  const answer = catalogExport.safeParse(parseJson(text))
  if (answer.success) return answer.data
  const issue = answer.error.issues[0]
  throw invalid(`it does not fit at ${issue?.path.join('.') || 'the top'}: ${issue?.message ?? ''}`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error))
  }
}

function invalid(why: string): PlimsollError {
  return new PlimsollError('STATE_INVALID', `this is no exported catalog of version 1: ${why}`, {
    hint: 'Give the unchanged output of `plimsoll state export` of this version. Nothing was imported.',
  })
}

type AlarmJson = StreamExport['alarms'][number]

export function alarmToJson({ id: _, stream: __, ...alarm }: Alarm): AlarmJson {
  const { raisedUs, seenUs, resolvedUs } = alarm
  const resolved = resolvedUs === undefined ? null : String(resolvedUs)
  return { ...alarm, raisedUs: String(raisedUs), seenUs: String(seenUs), resolvedUs: resolved }
}

export function alarmFromJson(stream: string, json: AlarmJson): Omit<Alarm, 'id'> {
  const { name, text, evidence, raisedUs, resolvedUs } = json
  return {
    stream,
    name,
    text,
    evidence,
    level: json.level ?? alarmLevel(name),
    latest: json.latest ?? text,
    count: json.count ?? 1,
    raisedUs: BigInt(raisedUs),
    seenUs: BigInt(json.seenUs ?? raisedUs),
    resolvedUs: resolvedUs === null ? undefined : BigInt(resolvedUs),
  }
}

export function ledgerToRow({ stream: _, range, ...entry }: LedgerEntry): LedgerRow {
  return { ...entry, range: rangeToJson(range) }
}

export function ledgerFromRow(stream: string, row: LedgerRow): LedgerEntry {
  return { ...row, stream, range: rangeFromJson(row.range) }
}
