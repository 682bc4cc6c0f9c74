import type { Command } from 'commander'
import { parse as parseYaml } from 'yaml'
import { redactUrl, resolveFileUrl } from '../config/connection-url.ts'
import { configFromValue } from '../config/parse.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { formatTableName } from '../config/table-name.ts'
import type { StreamResult } from '../extract/index.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { act, several } from './action.ts'
import { sha256 } from './engine.ts'
import { wholeNumber } from './numbers.ts'
import { forgetTables, type RememberedCopy, rememberCopy } from './pipeline/copies.ts'
import { stateFolder } from './pipeline/find-pipeline.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { resultsAnswer, run, showResults, withPipeline } from './run-streams.ts'

interface CopyOptions {
  readonly table?: readonly string[]
  readonly as?: string
  readonly key?: string
  readonly position?: string
  readonly zone?: string
  readonly encoding?: string
  readonly unit?: string
  readonly flavour?: string
  readonly grain?: string
  readonly stampedBy?: string
  readonly mode?: string
  readonly appendOnly?: boolean
  readonly overlap?: string
  readonly set?: readonly string[]
  readonly state?: string
  readonly concurrency: number
}

/** `plimsoll copy`: the whole job without a configuration file; running it again is incremental. */
export function registerCopy(program: Command): void {
  const command = program
    .command('copy <source> <destination>')
    .description('copy what changed in one or more tables; again is incremental')
    .option('--table <schema.table>', 'a table to copy; at least one, given once for each', several)
    .option('--as <schema.table>', 'its name at the destination (default: the same)')
    .option('--key <columns>', 'the columns that identify a row, with commas (default: the primary key)')
    .option('--position <column>', 'the column that orders the table (default: found when unambiguous)')
    .option('--zone <name>', 'the time zone of a position without one')
    .option('--encoding <name>', 'iso, ulid or uuidv7: of a text position')
    .option('--unit <unit>', 's, ms, us or ns: of a number that counts time')
    .option('--flavour <name>', 'sequence or epoch: of a number')
    .option('--grain <duration>', 'the coarsest step of the stamps')
    .option('--stamped-by <who>', 'database, application or unknown: who sets the position')
    .option('--mode <mode>', 'upsert: a row a key (default); history: a row a version')
    .option('--append-only', 'rows are never updated')
    .option('--overlap <duration>', 'how far below the watermark to read again, or auto to learn it')
    .option('--set <name=value>', 'any other setting of a table, as in plimsoll.yaml', several)
    .option('--state <folder>', 'the catalog (default: .plimsoll)')
    .option('--concurrency <n>', 'tables at once', wholeNumber, 4)
  act<CopyOptions>(command, async (terminal, options, [source = '', destination = '']) => {
    const raw = toRaw(options, source, destination)
    const config = { ...configFromValue(raw, COMMAND_LINE(raw.name)), stateFolder: stateFolder(options) }
    return withPipeline(terminal, config, async (working) => {
      const { catalog } = working.engine
      await rememberCopy(catalog, raw)
      const results = await run(working, working.streams, options.concurrency)
      await forgetTables(catalog, raw.name, unusable(config, results))
      showResults(terminal, results, 'the same command')
      return resultsAnswer(results)
    })
  })
}

/** Tables that were named wrongly: no claim was begun for them, so there is nothing to come back to. */
function unusable(config: PipelineConfig, results: readonly StreamResult[]): string[] {
  const wrong = results.filter((each) => each.error?.kind === 'usage' && each.outcome === 'failed')
  return config.tables
    .filter((table) => wrong.some((each) => each.stream === toStreamSettings(config, table).stream))
    .map((table) => formatTableName(table.table))
}

const COMMAND_LINE = (defaultName: string) => ({ file: 'command line', folder: process.cwd(), defaultName })

/** The command line as the value of a configuration file. */
function toRaw(options: CopyOptions, source: string, destination: string): RememberedCopy {
  const tables = options.table ?? []
  if (tables.length === 0) {
    throw new PlimsollError('USAGE', 'name at least one table', {
      hint: '--table public.orders. plimsoll init SOURCE DESTINATION shows what is there.',
    })
  }
  if (options.as !== undefined && tables.length > 1) {
    throw new PlimsollError('USAGE', '--as names one destination table, and there are several tables', {
      hint: 'Copy them one by one, or write a plimsoll.yaml with plimsoll init.',
    })
  }
  const urls = [source, destination].map((url) => resolveFileUrl(url, process.cwd())) as [string, string]
  const settings = tableSettings(options)
  return {
    name: `copy-${sha256(urls.map(redactUrl).join(' ')).slice(0, 8)}`,
    source: { url: urls[0] },
    destination: { url: urls[1] },
    tables: Object.fromEntries(tables.map((table) => [table, settings])),
  } as RememberedCopy
}

function tableSettings(options: CopyOptions): Readonly<Record<string, unknown>> {
  const position = {
    column: options.position,
    zone: options.zone,
    encoding: options.encoding,
    unit: options.unit,
    flavour: options.flavour,
    grain: options.grain === undefined ? undefined : scalar(options.grain),
    stampedBy: options.stampedBy,
  }
  const declared = Object.fromEntries(Object.entries(position).filter(([, value]) => value !== undefined))
  if (options.position === undefined && Object.keys(declared).length > 0) {
    throw new PlimsollError(
      'USAGE',
      '--zone, --encoding, --unit, --flavour, --grain and --stamped-by speak of a position column',
      {
        hint: 'Name it with --position.',
      },
    )
  }
  const settings = {
    as: options.as,
    key: options.key?.split(',').map((part) => part.trim()),
    position: options.position === undefined ? undefined : declared,
    mode: options.mode,
    appendOnly: options.appendOnly,
    overlap: overlapOf(options.overlap),
    ...Object.fromEntries((options.set ?? []).map(assignment)),
  }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

const overlapOf = (text: string | undefined): unknown =>
  text === undefined || text === 'auto' ? text : { fixed: scalar(text) }

function assignment(text: string): [string, unknown] {
  const at = text.indexOf('=')
  if (at > 0) return [text.slice(0, at), scalar(text.slice(at + 1))]
  throw new PlimsollError('USAGE', `--set ${text} sets nothing`, { hint: 'Write --set sliceRows=10000.' })
}

/** A value as YAML reads it: `10000` a number, `true` a yes, `{ c: text }` a map. */
function scalar(text: string): unknown {
  try {
    return parseYaml(text)
  } catch {
    return text
  }
}
