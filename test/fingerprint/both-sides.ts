import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import type { TargetTable } from '../../src/destinations/destination.ts'
import { choose } from '../../src/extract/choose.ts'
import type { Engine, StreamSettings } from '../../src/extract/index.ts'
import { targetTable } from '../../src/extract/target-table.ts'
import { canonicalText } from '../../src/kernel/fingerprint/canonical-text.ts'
import type { ComparisonPlan } from '../../src/kernel/fingerprint/comparison.ts'
import { makeComparisonPlan } from '../../src/kernel/fingerprint/make-plan.ts'
import type { Look, SourceLookRequest } from '../../src/sources/look.ts'
import { parseWire } from '../../src/testing/source-csv.ts'

const LIMITS = { queryMaxMs: 120_000, lockTimeoutMs: 5_000 }
const ALL = { rows: 'all' } as const

/** Looks at both sides of a stream as a check does, with the texts that the program makes of what a reader reads. */
export interface BothSides {
  readonly plan: ComparisonPlan
  readonly table: TargetTable
  readonly source: Look
  readonly destination: Look
  /** The texts of every row by its key text, as the program makes them (F21). */
  clientTexts(): Promise<ReadonlyMap<string, readonly string[]>>
}

export async function lookAtBoth(
  engine: Engine,
  settings: StreamSettings,
  work: (sides: BothSides) => Promise<void>,
  digest: ComparisonPlan['digest'] = 'md5',
): Promise<void> {
  const shape = await engine.source.describe(settings.table, settings.position)
  const choice = choose(settings, shape)
  const table = targetTable(settings, shape, choice)
  const plan = makeComparisonPlan({
    shape,
    key: choice.key,
    order: choice.order,
    asText: settings.asText,
    destinationEngine: (await engine.destination.identity()).engine,
    digestHex: (data) => createHash('sha256').update(data).digest('hex'),
    digest,
  })
  const request: SourceLookRequest = {
    shape,
    plan,
    order: choice.order,
    asText: settings.asText,
    after: undefined,
    replicaWaitMs: 1_000,
    ...LIMITS,
  }
  const { look: destination } = await engine.destination.openLook({ table, plan, ...LIMITS })
  try {
    const source = await engine.source.openLook(request)
    try {
      await work({
        plan,
        table,
        source,
        destination,
        clientTexts: () => clientTexts(engine, request, choice.key),
      })
    } finally {
      await source.close()
    }
  } finally {
    await destination.close()
  }
}

/** Both sides have the same rows, by sums and by rows; where not, the texts that differ are shown. */
export async function expectEqual({ plan, source, destination }: BothSides): Promise<void> {
  for (const word of ['row', 'position'] as const) {
    const [here, there] = await Promise.all([textsOf(source, word), textsOf(destination, word)])
    expect(readable(plan, there)).toEqual(readable(plan, here))
    const sums = await Promise.all([source.sums(ALL, word, 3), destination.sums(ALL, word, 3)])
    expect(sums[1]).toEqual(sums[0])
    expect(sums[0].size).toBeGreaterThan(0)
  }
}

/** The texts of every row of a look by its key text; `find` must say the same words as `rows`. */
export async function textsOf(look: Look, word: 'row' | 'position'): Promise<Map<string, readonly string[]>> {
  const words = new Map<string, bigint>()
  for await (const batch of look.rows(ALL, word)) for (const row of batch) words.set(row.keyText, row.word)
  const keys = [...words.keys()]
  const found = new Map<string, readonly string[]>()
  for (let from = 0; from < keys.length; from += 1_000) {
    for (const row of await look.find(keys.slice(from, from + 1_000), word)) {
      expect([row.keyText, row.word]).toEqual([row.keyText, words.get(row.keyText)])
      found.set(row.keyText, row.texts)
    }
  }
  expect([...found.keys()].sort()).toEqual(keys.sort())
  return found
}

/** Texts under their columns' names, NULLs left out, so that a difference can be read. */
export function readable(
  plan: ComparisonPlan,
  texts: ReadonlyMap<string, readonly string[]>,
): Record<string, Record<string, string>> {
  const shown = [...texts].map(([key, row]) => {
    const columns = plan.columns.map(({ name, canonical }, i) => [
      `${name} ${canonical.name}`,
      row[i] ?? 'missing',
    ])
    return [key, Object.fromEntries(columns.filter(([, text]) => text !== 'N'))] as const
  })
  return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function clientTexts(
  { source }: Engine,
  { shape, order, asText, plan }: SourceLookRequest,
  key: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const digest = (data: string | Uint8Array): string => createHash(plan.digest).update(data).digest('hex')
  const reader = await source.openReader({
    shape,
    order,
    key,
    format: 'plain_csv',
    asText,
    after: undefined,
    futureFromUs: undefined,
    replicaWaitMs: 1_000,
    pageRows: 10_000,
    fullScanMaxRows: 10_000_000,
    ...LIMITS,
  })
  try {
    const newest = await reader.newest()
    const upper = newest && ({ ...newest, value: after(newest.value) } as typeof newest)
    const stream = reader.read({ kind: 'range', range: { lower: undefined, upper: upper! } })
    const places = plan.columns.map(({ name }) => shape.columns.findIndex((column) => column.name === name))
    const rows = parseWire(await text(stream.bytes)).map((wire) =>
      plan.columns.map(({ canonical }, i) => canonicalText(canonical, wire[places[i]!] ?? null, digest)),
    )
    return new Map(rows.map((texts) => [texts.slice(0, plan.keyCount).join(';'), texts]))
  } finally {
    await reader.close()
  }
}

const after = (value: bigint | string): bigint | string =>
  typeof value === 'bigint' ? value + 1_000_000n : `${value}~`
