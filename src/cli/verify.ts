import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { verifyInCatalog } from '../assure/verify/verify-in-catalog.ts'
import { openVerifier, type VerifiedStream, type VerifyOptions } from '../assure/verify/verify-stream.ts'
import { readExport } from '../catalog/exchange.ts'
import { parseTimestamp } from '../kernel/calendar.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { act, pipelineOptions, several } from './action.ts'
import { openCatalogToLook } from './pipeline/catalog.ts'
import { findPipelines, type PipelineOptions, stateFolder } from './pipeline/find-pipeline.ts'
import { renderVerified, verifiedToJson } from './render/verify.ts'

interface VerifyCommandOptions extends PipelineOptions {
  readonly since?: string
  readonly table?: readonly string[]
  readonly head?: string
}

const FOUND = 3

/** `plimsoll verify`: the chain of records, from the records alone (spec A58). No database is asked. */
export function registerVerify(program: Command): void {
  const command = pipelineOptions(program.command('verify [file...]'))
    .description('check that no record was changed and no range is missing, without any database')
    .option('--since <time>', 'only records from then on, such as 2026-03-01')
    .option('--table <name>', 'only this table; may be given again', several)
    .option('--head <hash>', 'what the last record must have: record_hash in plimsoll_watermarks')
  act<VerifyCommandOptions>(command, async (terminal, options, files) => {
    const verified =
      files.length > 0 ? verifyFiles(files, options) : await verifyCatalog(await folderOf(options), options)
    for (const each of verified) terminal.data(renderVerified(each, terminal.colour))
    if (verified.length === 0) terminal.say('there is no record to verify')
    else
      terminal.say(
        'What holds proves that nothing was altered and no range is missing, not that the source told the truth.',
      )
    const broken = verified.some(({ fault }) => fault !== undefined)
    return { json: { streams: verified.map(verifiedToJson) }, ...(broken ? { exitCode: FOUND } : {}) }
  })
}

/** Streams that several files hold stand once for each. */
function verifyFiles(files: readonly string[], options: VerifyCommandOptions): readonly VerifiedStream[] {
  const streams = files.flatMap((file) => readExport(readText(file)).streams)
  const chosen = choose(
    streams.map(({ stream }) => stream),
    options,
  )
  return streams
    .filter(({ stream }) => chosen.has(stream))
    .map(({ stream, records }) => {
      const verifier = openVerifier(stream, verifyOptions(options))
      verifier.take(records.map((record) => ({ ...record, stream })))
      return verifier.end()
    })
}

/** The catalog's own chain; that it is broken is an alarm. */
async function verifyCatalog(
  folder: string,
  options: VerifyCommandOptions,
): Promise<readonly VerifiedStream[]> {
  const catalog = await openCatalogToLook(folder)
  try {
    const verified: VerifiedStream[] = []
    for (const stream of choose(await catalog.streams(), options)) {
      verified.push(await verifyInCatalog(catalog, stream, verifyOptions(options)))
    }
    return verified
  } finally {
    await catalog.close()
  }
}

function verifyOptions({ since, head }: VerifyCommandOptions): VerifyOptions {
  const sinceUs = since === undefined ? undefined : parseTimestamp(since)
  if (since !== undefined && sinceUs === undefined) {
    throw new PlimsollError('USAGE', `${since} is no time`, {
      hint: 'Write 2026-03-01 or 2026-03-01 10:00Z.',
    })
  }
  return { sinceUs, head }
}

/** By the catalog's name, by the stream's, or by the table's alone. */
function choose(streams: readonly string[], { table, head }: VerifyCommandOptions): ReadonlySet<string> {
  const fits = (stream: string, name: string): boolean =>
    stream === name || stream.endsWith(`/${name}`) || stream.endsWith(`.${name}`)
  for (const name of table ?? []) {
    if (streams.some((stream) => fits(stream, name))) continue
    throw new PlimsollError('TABLE_NOT_FOUND', `there are no records of ${name}`, {
      hint: `There are of: ${streams.join(', ') || 'none'}.`,
    })
  }
  const chosen = new Set(streams.filter((stream) => !table || table.some((name) => fits(stream, name))))
  if (head !== undefined && chosen.size !== 1) {
    throw new PlimsollError('USAGE', `--head is of one table, and there are ${chosen.size}`, {
      hint: 'Choose it with --table NAME.',
    })
  }
  return chosen
}

async function folderOf(options: VerifyCommandOptions): Promise<string> {
  if (options.state !== undefined) return stateFolder(options)
  return (await findPipelines(options, false))[0]!.stateFolder
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw new PlimsollError('USAGE', `${file} cannot be read`, {
      hint: 'Name a file that plimsoll state export wrote.',
      cause,
    })
  }
}
