import { z } from 'zod'
import { DOCTOR_CHECKS } from '../kernel/doctor-checks.ts'
import { BYTE_SIZE } from './byte-size.ts'
import { DURATION } from './duration.ts'
import { FENCE_DURATIONS, FENCE_METHODS, LIMIT_COUNTS, LIMIT_DURATIONS } from './setting-names.ts'

/** What was read rightly, or can only be landed again; never a deletion (assurance A33). */
const AUTO_REPAIR = ['backdated', 'lane', 'late_commit'] as const

const name = z.string().min(1, 'is empty')
const duration = z
  .string('must be a duration such as 10s, 5m or 1h')
  .regex(DURATION, 'must be a duration such as 10s, 5m or 1h')
const milliseconds = z.int().min(0)

const durationFields = <Name extends string>(names: readonly Name[]) =>
  Object.fromEntries(
    names.flatMap((each) => [
      [each, (each === 'holdMax' ? z.union([z.literal('never'), duration]) : duration).optional()],
      [
        `${each}Ms`,
        (each === 'holdMax' ? z.union([z.literal('never'), milliseconds]) : milliseconds).optional(),
      ],
    ]),
  ) as Record<Name | `${Name}Ms`, z.ZodOptional<z.ZodType<string | number>>>

const countFields = Object.fromEntries(
  LIMIT_COUNTS.map((each) => [
    each,
    z
      .int()
      .min(each === 'retries' ? 0 : 1)
      .optional(),
  ]),
) as Record<(typeof LIMIT_COUNTS)[number], z.ZodOptional<z.ZodInt>>

const fenceFields = {
  fence: z
    .enum(FENCE_METHODS)
    .describe('How the upper bound is found; auto takes the best the source allows')
    .optional(),
  ...durationFields(FENCE_DURATIONS),
}

/** An amount of overlap: a duration, or a count of positions for counters. */
const amount = z.union(
  [duration, z.int().min(0)],
  'must be a duration such as 5m, or a count of positions for a counter',
)

const overlap = z
  .union(
    [
      z.literal('auto'),
      z.strictObject({ fixed: amount }),
      z.strictObject({
        learned: z.strictObject({
          quantile: z.number().gt(0).lt(1).optional(),
          min: amount.optional(),
          max: amount.optional(),
        }),
      }),
    ],
    'must be auto, { fixed: 5m } or { learned: { quantile: 0.999, min: 1m, max: 1h } }',
  )
  .describe('How far below the watermark the next run reads again')

const position = z
  .union([
    name,
    z.strictObject({
      column: name,
      kind: z.enum(['timestamptz', 'timestamp', 'date', 'integer', 'text', 'xid8']).optional(),
      zone: name.describe('IANA name, for timestamp and date').optional(),
      grain: z
        .union([duration, z.int().min(1)])
        .describe('What every bound is floored to')
        .optional(),
      stampedBy: z.enum(['database', 'application', 'unknown']).optional(),
      unit: z.enum(['s', 'ms', 'us', 'ns']).describe('Of an integer that counts time').optional(),
      encoding: z.enum(['iso', 'ulid', 'uuidv7']).describe('Of a text that orders by time').optional(),
      flavour: z.enum(['sequence', 'epoch']).optional(),
    }),
  ])
  .describe('The column that orders the table')

const streamFields = {
  mode: z.enum(['upsert', 'history']).describe('One row a key, or a row a version').optional(),
  overlap: overlap.optional(),
  peek: z.boolean().describe('Also land what lies above the fence, without a claim').optional(),
  nullKeys: z.enum(['refuse', 'match']).optional(),
  appendOnly: z.boolean().describe('Declares that rows are never updated').optional(),
  deletes: z
    .enum(['report', 'remove', 'mark'])
    .describe('What reconcile does with rows that are gone at the source')
    .optional(),
  repair: z
    .strictObject({ auto: z.array(z.enum(AUTO_REPAIR)) })
    .describe('Causes of lost rows that an audit repairs by itself')
    .optional(),
  onDestinationWentBack: z.enum(['stop', 'rewind']).optional(),
  onTimelineChange: z
    .union(
      [z.enum(['stop', 'rewind']), z.strictObject({ rewind: duration })],
      'must be stop, rewind or { rewind: 10m }',
    )
    .describe('When the source was promoted: stop, or read failoverOverlap again, or another span')
    .optional(),
  ...fenceFields,
  latenessLossRows: z
    .number()
    .gt(0)
    .describe('Rows a run that an overlap of auto may lose without a fence; 0.001 when absent')
    .optional(),
  ...durationFields(LIMIT_DURATIONS),
  ...countFields,
}

const tableFields = {
  as: name.describe('schema.name at the destination; the source’s own when absent').optional(),
  key: z
    .union([name, z.array(name).min(1, 'is empty')])
    .describe('The columns that identify a row')
    .optional(),
  position: position.optional(),
  columns: z
    .record(name, z.literal('text', 'must be text: it takes the source’s own text of the column'))
    .describe('Columns that travel as the source’s text')
    .optional(),
  accept: z
    .array(
      z.strictObject({
        check: z.enum(DOCTOR_CHECKS),
        reason: name,
        date: z
          .string('must be a day such as 2026-03-01')
          .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-03-01'),
      }),
    )
    .describe('Checks of doctor whose risk somebody took: each by name, why, and when')
    .optional(),
  ...streamFields,
}

const tableEntry = z.strictObject(tableFields).nullable()
const listedTable = z.strictObject({ table: name, ...tableFields })

/** The shape of `plimsoll.yaml` after interpolation. `parse.ts` checks what a shape cannot say. */
export const configSchema = z.strictObject({
  name: name
    .regex(/^[\w.-]+$/, 'may hold letters, digits, dot, dash and underscore')
    .describe('The pipeline’s name; the file’s folder when absent')
    .optional(),
  state: name.describe('Folder of the catalog, relative to this file; .plimsoll when absent').optional(),
  source: z.strictObject({
    url: name,
    replicaUrl: name.describe('Where rows are read; the fence is taken at url').optional(),
    excludeRoles: z.array(name).describe('Roles declared never to write these tables').optional(),
    rehearsal: z
      .boolean()
      .describe('A staging copy that plimsoll rehearse may load; never true of production')
      .optional(),
    ...fenceFields,
  }),
  destination: z.strictObject({
    url: name,
    memoryLimit: z
      .string()
      .regex(BYTE_SIZE, 'must be a size such as 512MB or 2GiB')
      .describe('For DuckDB')
      .optional(),
  }),
  defaults: z.strictObject(streamFields).describe('For every table that does not say otherwise').optional(),
  tables: z.union([z.record(name, tableEntry), z.array(z.union([name, listedTable]))]),
})

export type RawConfig = z.infer<typeof configSchema>
export type RawTable = NonNullable<z.infer<typeof tableEntry>>

const keysOf = (fields: object): readonly string[] => Object.keys(fields)

/** The settings known at a path of the file, for the nearest name to a mistyped one. */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  const [head, , ...rest] = path
  if (head === undefined) return keysOf(configSchema.shape)
  if (head === 'source') return keysOf(configSchema.shape.source.shape)
  if (head === 'destination') return keysOf(configSchema.shape.destination.shape)
  const inner = head === 'tables' ? rest : path.slice(1)
  if (inner.length === 0)
    return head === 'defaults' ? keysOf(streamFields) : ['table', ...keysOf(tableFields)]
  if (inner.includes('position')) return keysOf(position.options[1].shape)
  if (inner.includes('learned')) return ['quantile', 'min', 'max']
  if (inner.includes('overlap')) return ['fixed', 'learned']
  if (inner.includes('repair')) return ['auto']
  if (inner.includes('accept')) return ['check', 'reason', 'date']
  return inner.includes('onTimelineChange') ? ['rewind'] : []
}
