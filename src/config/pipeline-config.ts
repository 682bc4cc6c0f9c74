import type { DoctorCheck } from '../kernel/doctor-checks.ts'
import type { Mechanism } from '../kernel/finding.ts'
import type { EpochUnit, Stamper, TextEncoding } from '../kernel/order.ts'
import type { OverlapPolicy } from '../kernel/overlap.ts'
import type { PositionKind } from '../kernel/position.ts'
import type { FENCE_METHODS, FenceDuration, LimitName } from './setting-names.ts'
import type { TableName } from './table-name.ts'

/** One source, one destination and the tables between them, with paths and units worked out. */
export interface PipelineConfig {
  readonly name: string
  /** Where it was read from, for messages; undefined for a command line. */
  readonly file: string | undefined
  /** The catalog's folder, absolute. */
  readonly stateFolder: string
  readonly source: {
    readonly url: string
    readonly replicaUrl: string | undefined
    /** A rehearsal may load it (assurance A49). */
    readonly rehearsal: boolean
  }
  readonly destination: { readonly url: string; readonly memoryLimitBytes: number | undefined }
  readonly tables: readonly TableConfig[]
}

/** What was said about one table; undefined is what was not, and gets the engine's default. */
export interface TableConfig {
  readonly table: TableName
  readonly as: TableName | undefined
  readonly key: readonly string[] | undefined
  readonly position: PositionConfig | undefined
  readonly mode: 'upsert' | 'history' | undefined
  readonly overlap: OverlapPolicy | undefined
  readonly peek: boolean | undefined
  readonly asText: readonly string[]
  readonly nullKeys: 'refuse' | 'match' | undefined
  readonly appendOnly: boolean
  readonly accept: readonly { readonly check: DoctorCheck; readonly reason: string; readonly date: string }[]
  readonly deletes: 'report' | 'remove' | 'mark' | undefined
  readonly autoRepair: readonly Mechanism[]
  readonly onDestinationWentBack: 'stop' | 'rewind' | undefined
  readonly onTimelineChange: 'stop' | 'rewind' | { readonly rewindUs: bigint } | undefined
  readonly fence: {
    readonly method: (typeof FENCE_METHODS)[number] | undefined
    readonly excludeRoles: readonly string[]
    readonly durationsMs: Readonly<Partial<Record<FenceDuration, number | 'never'>>>
  }
  readonly limits: Readonly<Partial<Record<LimitName, number>>>
}

export interface PositionConfig {
  readonly column: string
  readonly kind?: PositionKind
  readonly zone?: string
  /** Position units: µs, or the epoch's unit, or a count. */
  readonly grain?: bigint
  readonly stampedBy?: Stamper
  readonly unit?: EpochUnit
  readonly encoding?: TextEncoding
  readonly flavour?: 'sequence' | 'epoch'
}
