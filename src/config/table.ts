import type { OverlapPolicy } from '../kernel/overlap.ts'
import { parseDurationMs, parseDurationUs } from './duration.ts'
import type { PositionConfig, TableConfig } from './pipeline-config.ts'
import type { Report } from './problem.ts'
import type { RawConfig, RawTable } from './schema.ts'
import {
  FENCE_DURATIONS,
  type FenceDuration,
  LIMIT_COUNTS,
  LIMIT_DURATIONS,
  type LimitName,
} from './setting-names.ts'
import { parseTableName, type TableName } from './table-name.ts'

type Path = readonly PropertyKey[]

const LEARNED_QUANTILE = 0.999
const LEARNED_MIN_US = 60_000_000n
const LEARNED_MAX_US = 86_400_000_000n
const LEARNED_MIN_COUNT = 10_000n
const LEARNED_MAX_COUNT = 10_000_000n

/** One table's settings with units worked out; those of `source` stand behind those of `defaults` and the table. */
export function toTable(
  table: TableName,
  own: RawTable,
  raw: RawConfig,
  path: Path,
  report: Report,
): TableConfig {
  const defaults = raw.defaults ?? {}
  const settings: RawTable = { ...defaults, ...own }
  const position = toPosition(settings.position, path, report)
  const as = settings.as === undefined ? undefined : parseTableName(settings.as)
  if (settings.as !== undefined && !as) report([...path, 'as'], 'is no table name', 'Write schema.name')
  return {
    table,
    as: as && { schema: as.schema ?? table.schema, name: as.name },
    key: typeof settings.key === 'string' ? [settings.key] : settings.key,
    position,
    mode: settings.mode,
    overlap: toOverlap(settings.overlap, position, [...path, 'overlap'], report),
    peek: settings.peek,
    asText: Object.keys(settings.columns ?? {}),
    nullKeys: settings.nullKeys,
    appendOnly: settings.appendOnly ?? false,
    accept: settings.accept ?? [],
    deletes: settings.deletes,
    autoRepair: settings.repair?.auto ?? [],
    onDestinationWentBack: settings.onDestinationWentBack,
    onTimelineChange:
      typeof settings.onTimelineChange === 'object'
        ? { rewindUs: parseDurationUs(settings.onTimelineChange.rewind)! }
        : settings.onTimelineChange,
    fence: {
      method: settings.fence ?? raw.source.fence,
      excludeRoles: raw.source.excludeRoles ?? [],
      durationsMs: {
        ...durations<FenceDuration>(FENCE_DURATIONS, raw.source, ['source'], report),
        ...durations<FenceDuration>(FENCE_DURATIONS, defaults, ['defaults'], report),
        ...durations<FenceDuration>(FENCE_DURATIONS, own, path, report),
      },
    },
    limits: {
      ...(durations<LimitName>(LIMIT_DURATIONS, settings, path, report) as Partial<
        Record<LimitName, number>
      >),
      ...(settings.latenessLossRows === undefined ? {} : { latenessLossRows: settings.latenessLossRows }),
      ...Object.fromEntries(
        LIMIT_COUNTS.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])),
      ),
    },
  }
}

/** `guard: 1s` and `guardMs: 1000` say the same; saying both is a fault. */
function durations<Name extends string, Value extends number | 'never' = number | 'never'>(
  names: readonly string[],
  settings: object,
  path: Path,
  report: Report,
): Partial<Record<Name, Value>> {
  const given = settings as Readonly<Record<string, string | number | undefined>>
  const result: Record<string, number | 'never'> = {}
  for (const name of names) {
    const [text, number] = [given[name], given[`${name}Ms`]]
    if (text !== undefined && number !== undefined) {
      report([...path, `${name}Ms`], `says again what ${name} says`, 'Keep one of the two')
    }
    const value = number ?? text
    if (value === undefined) continue
    const ms: number | 'never' | undefined =
      typeof value === 'number' || value === 'never' ? value : parseDurationMs(value)
    if (ms === undefined) report([...path, name], `is finer than a millisecond: ${value}`)
    else result[`${name}Ms`] = ms
  }
  return result as Partial<Record<Name, Value>>
}

function toPosition(raw: RawTable['position'], path: Path, report: Report): PositionConfig | undefined {
  if (raw === undefined) return undefined
  if (typeof raw === 'string') return { column: raw }
  const { grain, ...rest } = raw
  const position = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const units = grain === undefined ? undefined : grainUnits(grain, raw.unit)
  if (grain !== undefined && units === undefined) {
    report([...path, 'position', 'grain'], `is no whole number of the column’s units: ${grain}`)
  }
  return { ...(position as unknown as PositionConfig), ...(units === undefined ? {} : { grain: units }) }
}

const PER_SECOND = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n } as const

/** A grain in position units: µs for time, the unit for epochs, a count as it is (spec E5). */
function grainUnits(grain: string | number, unit: keyof typeof PER_SECOND | undefined): bigint | undefined {
  if (typeof grain === 'number') return BigInt(grain)
  const us = parseDurationUs(grain)
  if (us === undefined || us === 0n) return undefined
  if (unit === undefined) return us
  const scaled = us * PER_SECOND[unit]
  return scaled % 1_000_000n === 0n ? scaled / 1_000_000n : undefined
}

/**
 * Amounts follow the kind of the position (spec E40): durations for time, counts for counters. A bare number is a count
 * and needs a declared counter, or five minutes meant would be 300 µs.
 */
function toOverlap(
  raw: RawTable['overlap'],
  position: PositionConfig | undefined,
  path: Path,
  report: Report,
): OverlapPolicy | undefined {
  if (raw === undefined) return undefined
  const counts = position?.kind === 'xid8' || position?.flavour === 'sequence'
  const mayCount = counts || (position?.kind === 'integer' && position.flavour !== 'epoch' && !position.unit)
  const amount = (value: string | number, at: Path): bigint => {
    if (typeof value === 'string') {
      if (counts) report(at, `is a duration, and ${position?.column} counts`, 'Write a number of positions')
      return parseDurationUs(value) ?? 0n
    }
    if (value !== 0 && !mayCount) {
      report(
        at,
        `is a bare number: ${value}`,
        'Write a duration such as 5m; a count needs position: { flavour: sequence }',
      )
    }
    return BigInt(value)
  }
  if (raw === 'auto') return toOverlap({ learned: {} }, position, path, report)
  if ('fixed' in raw) return { kind: 'fixed', amount: amount(raw.fixed, [...path, 'fixed']) }
  const { quantile = LEARNED_QUANTILE, min, max } = raw.learned
  const policy = {
    kind: 'learned' as const,
    quantile,
    min:
      min === undefined
        ? counts
          ? LEARNED_MIN_COUNT
          : LEARNED_MIN_US
        : amount(min, [...path, 'learned', 'min']),
    max:
      max === undefined
        ? counts
          ? LEARNED_MAX_COUNT
          : LEARNED_MAX_US
        : amount(max, [...path, 'learned', 'max']),
  }
  if (policy.min > policy.max) report([...path, 'learned'], 'has a min above its max')
  return policy
}
