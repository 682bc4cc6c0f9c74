import type { TableConfig } from '../../config/pipeline-config.ts'
import type { OverlapPolicy } from '../../kernel/overlap.ts'
import type { LoadStage } from '../../sources/load.ts'

/** The environment variables that carry the URLs, for a file that lies about holds no password. */
export const URL_VARIABLES = {
  source: 'PLIMSOLL_REHEARSAL_SOURCE',
  replica: 'PLIMSOLL_REHEARSAL_REPLICA',
  destination: 'PLIMSOLL_REHEARSAL_DESTINATION',
} as const

/** The pipeline under the load: the stand-in table with the settings of the table that is rehearsed (assurance A48). */
export function pipelineUnderLoad(
  table: TableConfig,
  { table: standIn, grainUs }: LoadStage,
  hasReplica: boolean,
) {
  const { fence, limits, overlap, mode, peek } = table
  const reference = (name: string): string => `\${${name}}`
  const { method, excludeRoles, durationsMs } = fence
  return {
    name: 'rehearsal',
    state: '.plimsoll',
    source: {
      url: reference(URL_VARIABLES.source),
      ...(hasReplica ? { replicaUrl: reference(URL_VARIABLES.replica) } : {}),
      rehearsal: true,
      ...(excludeRoles.length > 0 ? { excludeRoles } : {}),
      ...(method === undefined ? {} : { fence: method }),
      ...durationsMs,
    },
    destination: { url: reference(URL_VARIABLES.destination) },
    tables: {
      [`${standIn.schema}.${standIn.name}`]: {
        key: 'id',
        position: { column: 'updated_at', stampedBy: 'database', grain: `${grainUs}us` },
        ...(mode === undefined ? {} : { mode }),
        ...(peek === undefined ? {} : { peek }),
        ...(overlap === undefined ? {} : { overlap: overlapText(overlap) }),
        ...limits,
      },
    },
  }
}

function overlapText(overlap: OverlapPolicy): object {
  if (overlap.kind === 'fixed') return { fixed: `${overlap.amount}us` }
  const { quantile, min, max } = overlap
  return { learned: { quantile, min: `${min}us`, max: `${max}us` } }
}
