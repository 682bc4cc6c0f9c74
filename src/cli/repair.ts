import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { type Command, Option } from 'commander'
import { openCheck } from '../assure/check-session.ts'
import { acceptFindings } from '../assure/repair/accept-findings.ts'
import { repairAsked } from '../assure/repair/repair-asked.ts'
import { findingsOf, type KeysAsked } from '../assure/repair/which-keys.ts'
import type { DeleteMode } from '../extract/index.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { act, pipelineOptions, several } from './action.ts'
import { findPipeline, type PipelineOptions } from './pipeline/find-pipeline.ts'
import { secondLookOption, withSecondLook } from './pipeline/second-look.ts'
import { selectStream } from './pipeline/select-streams.ts'
import { plural } from './render/quantity.ts'
import { renderRepair, repairToJson } from './render/repair.ts'
import { withPipeline } from './run-streams.ts'

interface RepairOptions extends PipelineOptions {
  readonly findings?: readonly string[]
  readonly key?: readonly string[]
  readonly keysFrom?: string
  readonly from?: string
  readonly to?: string
  readonly apply?: boolean
  readonly accept?: string
  readonly dryRun?: boolean
  readonly deletes?: DeleteMode
  readonly secondLook?: string
}

/** `plimsoll repair`: brings exactly the named rows again; a dry run without --apply (spec A28 to A32). */
export function registerRepair(program: Command): void {
  const command = secondLookOption(pipelineOptions(program.command('repair <table>')))
    .description('bring exactly these rows again; shows what it would do, and does it with --apply')
    .option('--findings <id>', 'all findings of a check, or one; several times for more', several)
    .option(
      '--key <value>',
      'one row; a JSON array for a key of several columns; several times for more',
      several,
    )
    .option('--keys-from <file>', 'keys from a file, one a line')
    .option('--from <position>', 'rows from this position on that are not alike')
    .option('--to <position>', 'the first position not to look at (default: the watermark)')
    .option('--apply', 'do it')
    .option('--accept <reason>', 'close these findings as they are, and record who and why')
    .option('--dry-run', 'only show it; so it is without --apply')
    .addOption(
      new Option('--deletes <mode>', 'what becomes of rows that are gone at the source').choices([
        'report',
        'remove',
        'mark',
      ]),
    )
  act<RepairOptions>(command, async (terminal, options, [table = '']) => {
    const keys = keysAsked(options)
    if (options.apply && options.dryRun) throw usage('--apply and --dry-run exclude each other')
    const config = await findPipeline(options)
    return withPipeline(terminal, config, async ({ engine, streams, progress }) => {
      progress.pause()
      const [settings] = withSecondLook([selectStream(streams, table)], options.secondLook)
      if (options.accept !== undefined) {
        if (keys.kind !== 'findings' || options.apply)
          throw usage('--accept takes --findings, and nothing else')
        const check = await openCheck(engine, settings!)
        const findings = await findingsOf(check, keys.ids, settings!.limits.listMaxRows)
        const accepted = await acceptFindings(check, findings, {
          person: userInfo().username,
          reason: options.accept,
        })
        terminal.say(`${settings!.stream}: ${plural(accepted, 'finding')} accepted`)
        return { json: { stream: settings!.stream, accepted } }
      }
      const deletes = options.deletes ?? settings!.deletes
      const answer = await repairAsked(engine, settings!, { keys, apply: options.apply ?? false, deletes })
      terminal.data(renderRepair(answer, terminal.colour))
      return { json: repairToJson(answer), exitCode: answer.stillOpen.length > 0 ? FOUND : 0 }
    })
  })
}

const FOUND = 3

function keysAsked({ findings, key, keysFrom, from, to }: RepairOptions): KeysAsked {
  const ways = [findings, key ?? keysFrom, from ?? to].filter((way) => way !== undefined)
  if (ways.length !== 1)
    throw usage('say which rows, in one way: --findings, --key, --keys-from, or --from and --to')
  if (findings) return { kind: 'findings', ids: findings.flatMap((each) => each.split(',')) }
  if (from !== undefined || to !== undefined) return { kind: 'range', from, to }
  const lines = keysFrom === undefined ? [] : readLines(keysFrom)
  return { kind: 'keys', keys: [...(key ?? []), ...lines].map(parseKey) }
}

/** A value as it is, or a JSON array with one value a column. */
function parseKey(text: string): readonly (string | null)[] {
  if (!text.startsWith('[')) return [text]
  try {
    const values: unknown = JSON.parse(text)
    if (Array.isArray(values)) return values.map((value) => (value === null ? null : String(value)))
  } catch {
    // A text key may begin with a bracket.
  }
  return [text]
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8')
      .split(/\r?\n/)
      .filter((line) => line !== '')
  } catch (error) {
    throw usage(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function usage(what: string): PlimsollError {
  return new PlimsollError('USAGE', what, { hint: 'plimsoll repair --help shows how.' })
}
