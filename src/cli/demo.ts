import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { type Answer, act } from './action.ts'
import { formatMs } from './render/quantity.ts'
import type { Terminal } from './terminal.ts'

interface DemoOptions {
  readonly seed: number
  readonly seconds: number
  readonly keep?: boolean
}

/** Black Friday 2026. */
const DEFAULT_SEED = 20261127
const DEFAULT_SECONDS = 25
/** A late commit takes four seconds; with fewer than six there may be none. */
const LEAST_SECONDS = 6
const MOST_SECONDS = 3_600
const PLAIN_LINE_MS = 10_000

/** `plimsoll demo`: a shop in SQLite, copied by Plimsoll and by the usual strategies, then compared. No server. */
export function registerDemo(program: Command): void {
  const command = program
    .command('demo')
    .description('Black Friday in a SQLite shop: what the usual strategies lose, measured beside Plimsoll')
    .option('--seed <number>', 'which writes are made', wholeNumber(0, 2 ** 32 - 1), DEFAULT_SEED)
    .option(
      '--seconds <number>',
      'how long the shop is busy',
      wholeNumber(LEAST_SECONDS, MOST_SECONDS),
      DEFAULT_SECONDS,
    )
    .option('--keep', 'keep the shop, the copies and the catalog to look inside')
  act<DemoOptions>(command, demo)
}

async function demo(terminal: Terminal, { seed, seconds, keep = false }: DemoOptions): Promise<Answer> {
  const [{ runDemo }, { renderReport }] = await Promise.all([
    import('./demo/run-demo.ts'),
    import('./demo/report.ts'),
  ])
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-demo-'))
  let shown = false
  try {
    terminal.say(`Black Friday for ${seconds} s, then the comparison; in ${folder}`)
    const result = await runDemo({ folder, seed, seconds, tell: everyTenSeconds(terminal) })
    shown = result.verdict === 'shown'
    terminal.data(`\n${renderReport(result, terminal.colour)}\n`)
    terminal.data(
      whereToLookNext(keep || !shown ? folder : undefined, formatMs(result.duration_seconds * 1000)),
    )
    const { verdict, ...facts } = result
    return { json: { verdict, ...facts, folder: keep || !shown ? folder : null }, exitCode: shown ? 0 : 1 }
  } finally {
    if (shown && !keep) rmSync(folder, { recursive: true, force: true })
  }
}

function whereToLookNext(folder: string | undefined, duration: string): string {
  const plimsoll = howCalled()
  const look = folder === undefined ? undefined : `--config ${join(folder, 'plimsoll.yaml')}`
  const commands = look
    ? [`${plimsoll} status ${look}`, `${plimsoll} runs ${look}`, `${plimsoll} trace orders ${look}`]
    : [`${plimsoll} demo --keep    leaves shop, copies and catalog, for plimsoll status, runs and trace`]
  return [
    `Took ${duration}. Where to look next:`,
    ...[...commands, `${plimsoll} copy sqlite:YOUR.db duckdb:COPY.duckdb    copies your own tables`].map(
      (command) => `  ${command}`,
    ),
  ].join('\n')
}

/** What to type for this program: its name, or the file that was called in a checkout. */
function howCalled(): string {
  const file = relative(process.cwd(), process.argv[1] ?? '')
  if (file.startsWith('..') || isAbsolute(file)) return 'plimsoll'
  return file.includes('node_modules') ? 'npx plimsoll' : `node ${file}`
}

/** Progress in plain lines, so that it reads the same in a terminal and in a log. */
function everyTenSeconds({ say }: Terminal): (text: string) => void {
  let nextMs = performance.now() + PLAIN_LINE_MS
  return (text) => {
    if (performance.now() < nextMs) return
    nextMs += PLAIN_LINE_MS
    say(`  ${text}`)
  }
}

function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`)
  }
}
