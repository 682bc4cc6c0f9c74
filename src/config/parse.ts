import { resolve } from 'node:path'
import { parseByteSize } from './byte-size.ts'
import { resolveFileUrl, schemeOf } from './connection-url.ts'
import { readDocument } from './document.ts'
import type { Environment } from './interpolate.ts'
import { problemsOf } from './issues.ts'
import type { PipelineConfig, TableConfig } from './pipeline-config.ts'
import { configError, type Problem, type Report } from './problem.ts'
import { configSchema, type RawConfig } from './schema.ts'
import { toTable } from './table.ts'
import { formatTableName, parseTableName } from './table-name.ts'

export interface ConfigOrigin {
  /** As it is printed in messages. */
  readonly file: string
  /** File URLs and the catalog's folder are relative to here. */
  readonly folder: string
  /** The pipeline's name when the file does not say one. */
  readonly defaultName: string
}

type LineOf = (path: readonly PropertyKey[]) => number | undefined

/** The text of a `plimsoll.yaml` as a pipeline. Throws CONFIG_INVALID or APPEND_WITH_OVERLAP with every fault found. */
export function parseConfig(text: string, origin: ConfigOrigin, environment: Environment): PipelineConfig {
  const document = readDocument(text, environment)
  if (document.problems.length > 0) throw configError(origin.file, document.problems)
  return configFromValue(document.value, origin, document.lineOf)
}

/** A configuration that is already a value: from a command line, or remembered by the catalog. */
export function configFromValue(
  value: unknown,
  origin: ConfigOrigin,
  lineOf: LineOf = () => undefined,
): PipelineConfig {
  const parsed = configSchema.safeParse(value ?? {})
  if (!parsed.success) throw configError(origin.file, problemsOf(parsed.error.issues, value ?? {}, lineOf))
  const raw = parsed.data
  const problems: Problem[] = []
  const report = (path: readonly PropertyKey[], text: string, remedy?: string): void => {
    const place = { line: lineOf(path), path: path.map(String).join('.') }
    problems.push({ code: 'CONFIG_INVALID', ...place, text, remedy })
  }
  const tables = listTables(raw, report)
  checkUrls(raw, report)
  if (problems.length > 0) throw configError(origin.file, problems)
  const url = (text: string): string => resolveFileUrl(text, origin.folder)
  return {
    name: raw.name ?? origin.defaultName,
    file: origin.file,
    stateFolder: resolve(origin.folder, raw.state ?? '.plimsoll'),
    source: {
      url: url(raw.source.url),
      replicaUrl: raw.source.replicaUrl === undefined ? undefined : url(raw.source.replicaUrl),
      rehearsal: raw.source.rehearsal ?? false,
    },
    destination: {
      url: url(raw.destination.url),
      memoryLimitBytes:
        raw.destination.memoryLimit === undefined ? undefined : parseByteSize(raw.destination.memoryLimit),
    },
    tables,
  }
}

function listTables(raw: RawConfig, report: Report): TableConfig[] {
  const entries = Array.isArray(raw.tables)
    ? raw.tables.map((entry, index) => {
        const { table, ...rest } = typeof entry === 'string' ? { table: entry } : entry
        return { path: ['tables', index], table, rest }
      })
    : Object.entries(raw.tables).map(([table, rest]) => ({
        path: ['tables', table],
        table,
        rest: rest ?? {},
      }))
  if (entries.length === 0) report(['tables'], 'names no table')
  const seen = new Map<string, string>()
  return entries.flatMap(({ path, table, rest }) => {
    const name = parseTableName(table)
    if (!name) {
      report(path, 'is no table name', 'Write schema.name; quote parts that hold a dot: "odd.schema".name')
      return []
    }
    const config = toTable(name, rest, raw, path, report)
    const target = formatTableName(config.as ?? config.table)
    const other = seen.get(target)
    if (other !== undefined) {
      const remedy = 'Give one of them another name with as: schema.name'
      report(path, `lands in ${target}, and so does ${other}`, remedy)
    }
    seen.set(target, table)
    return [config]
  })
}

function checkUrls(raw: RawConfig, report: Report): void {
  const urls = [
    [['source', 'url'], raw.source.url],
    [['source', 'replicaUrl'], raw.source.replicaUrl],
    [['destination', 'url'], raw.destination.url],
  ] as const
  for (const [path, url] of urls) {
    if (url === undefined || schemeOf(url) !== undefined) continue
    report(
      path,
      'is no connection URL',
      'Write postgres://user@host/database, sqlite:file.db or duckdb:file.duckdb',
    )
  }
}
