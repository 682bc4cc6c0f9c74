import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { type RewindTarget, rewindStream } from '../extract/index.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { formatPosition } from '../kernel/print.ts'
import { act, pipelineOptions } from './action.ts'
import { confirm } from './confirm.ts'
import { openCatalogIn, openCatalogToLook } from './pipeline/catalog.ts'
import { findPipeline, findPipelines, type PipelineOptions, stateFolder } from './pipeline/find-pipeline.ts'
import { selectStream, selectStreams } from './pipeline/select-streams.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { positionJson } from './render/position.ts'
import { plural } from './render/quantity.ts'
import { renderState, stateOf, stateToJson } from './render/state.ts'
import { withPipeline } from './run-streams.ts'
import { registerSkip } from './state-skip.ts'
import type { Terminal } from './terminal.ts'

interface RewindOptions extends PipelineOptions {
  readonly to: string
  readonly reason: string
  readonly yes?: boolean
}

/** `plimsoll state`: look at what the catalog holds, carry it to another one, lower a watermark, or skip rows, with a reason. */
export function registerState(program: Command): void {
  const state = program
    .command('state')
    .description('show, rewind, skip, export or import what is remembered')
  registerShow(state)
  registerRewind(state)
  registerSkip(state)
  registerExport(state)
  registerImport(state)
}

function registerShow(state: Command): void {
  const command = pipelineOptions(state.command('show [table]')).description(
    'claim, ranges, leases and debts',
  )
  act<PipelineOptions>(command, async (terminal, options, [table]) => {
    const configs = await findPipelines(options, false)
    const all = configs.flatMap((config) => config.tables.map((each) => toStreamSettings(config, each)))
    const catalog = await openCatalogToLook(configs[0]!.stateFolder)
    try {
      const states = []
      for (const { stream, catalogKey } of selectStreams(all, table === undefined ? [] : [table])) {
        states.push(await stateOf(catalog, stream, catalogKey))
      }
      terminal.data(states.map((each) => renderState(each, terminal.colour)).join('\n\n'))
      return { json: { streams: states.map(stateToJson) } }
    } finally {
      await catalog.close()
    }
  })
}

/** Lowers a watermark in a new generation (spec E70): a reason is asked for and recorded. */
function registerRewind(state: Command): void {
  const command = pipelineOptions(state.command('rewind <table>'))
    .description('lower a watermark, so that what lies above is read again')
    .requiredOption(
      '--to <where>',
      'start, destination (what its claim says), or a position as status prints it',
    )
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--yes', 'do not ask')
  act<RewindOptions>(command, async (terminal, options, [table = '']) => {
    if (options.reason.trim() === '') throw new PlimsollError('USAGE', 'a rewind needs a reason')
    const config = await findPipeline(options)
    return withPipeline(terminal, config, async ({ engine, streams }) => {
      const settings = selectStream(streams, table)
      const question = `Rewind ${settings.stream} to ${options.to} and read it again from there?`
      await confirm(terminal, { name: 'rewind', question, refused: 'not rewound' }, options.yes)
      const by = { person: userInfo().username, reason: options.reason }
      const { before, after, generation } = await rewindStream(engine, settings, targetOf(options.to), by)
      const text = `${settings.stream}: below ${formatPosition(after)} now, below ${formatPosition(before)} before; generation ${generation}`
      terminal.say(`${text}\nplimsoll run ${settings.stream} reads it again`)
      return {
        json: {
          stream: settings.stream,
          before: positionJson(before),
          after: positionJson(after),
          generation,
        },
      }
    })
  })
}

function targetOf(to: string): RewindTarget {
  if (to === 'start' || to === 'destination') return { kind: to }
  return { kind: 'position', text: to }
}

function registerExport(state: Command): void {
  const command = pipelineOptions(state.command('export [table]'))
    .description('the catalog, or one table of it, as JSON that import reads')
    .option('--to <file>', 'write it there instead of stdout')
  act<PipelineOptions & { readonly to?: string }>(command, async (terminal, options, [table]) => {
    let key: string | undefined
    if (table !== undefined) {
      const configs = await findPipelines(options, false)
      const all = configs.flatMap((config) => config.tables.map((each) => toStreamSettings(config, each)))
      key = selectStream(all, table).catalogKey
    }
    const catalog = await openCatalogToLook(await folderOf(options))
    try {
      const text = await catalog.export(key)
      if (options.to === undefined) terminal.data(text)
      else writeExport(terminal, options.to, text)
      return { json: options.to === undefined ? { export: JSON.parse(text) } : { file: options.to } }
    } finally {
      await catalog.close()
    }
  })
}

function writeExport(terminal: Terminal, file: string, text: string): void {
  writeFileSync(file, `${text}\n`)
  const { streams } = JSON.parse(text) as { streams: readonly unknown[] }
  terminal.say(`wrote ${file}: what is remembered of ${plural(streams.length, 'table')}`)
}

function registerImport(state: Command): void {
  const command = pipelineOptions(state.command('import <file>')).description(
    'take over what another catalog exported; - reads stdin',
  )
  act<PipelineOptions>(command, async (terminal, options, [file = '']) => {
    const text = read(file)
    const catalog = await openCatalogIn(await folderOf(options))
    try {
      await catalog.import(text)
      const streams = await catalog.streams()
      terminal.say(`the catalog now knows ${streams.join(', ') || 'nothing'}`)
      return { json: { streams } }
    } finally {
      await catalog.close()
    }
  })
}

/** The catalog's folder; an import may come before anything else, so no pipeline need be known. */
async function folderOf(options: PipelineOptions): Promise<string> {
  if (options.state !== undefined) return stateFolder(options)
  const found = await findPipelines(options, false).catch((error: unknown) => {
    if (error instanceof PlimsollError && options.config === undefined) return []
    throw error
  })
  return found[0]?.stateFolder ?? stateFolder(options)
}

function read(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (cause) {
    throw new PlimsollError('USAGE', `${file} cannot be read`, {
      hint: 'Name a file that plimsoll state export wrote.',
      cause,
    })
  }
}
