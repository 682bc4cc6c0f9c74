import { type Colour, createColour } from './render/colour.ts'
import { toJson } from './render/error.ts'

/** Where output goes: words to stderr, data to stdout, one object at the end with `--json`. */
export interface Terminal {
  readonly json: boolean
  readonly quiet: boolean
  /** On when both outputs are terminals: neither a file of data nor one of words gets escapes. */
  readonly colour: Colour
  /** Lines may be redrawn: stderr is a terminal, and neither `--quiet` nor CI speaks against it. */
  readonly live: boolean
  /** Data for a person who asked for it; left out with `--json`, whose object holds the same. */
  data(text: string): void
  /** Words on stderr; none with `--quiet`. */
  say(text: string): void
  /** Words on stderr whatever was asked for: errors. */
  complain(text: string): void
  /** Adds secrets that no output may hold. */
  hide(secrets: readonly string[]): void
  /** The one object of `--json`. */
  final(value: Readonly<Record<string, unknown>>): void
}

export interface OutputOptions {
  readonly json?: boolean
  readonly quiet?: boolean
}

/** A secret shorter than this would blank out ordinary words; it is still hidden within its URL. */
const MIN_HIDDEN_LENGTH = 4

export function createTerminal(options: OutputOptions): Terminal {
  const { NO_COLOR, CI } = process.env
  const plain = (NO_COLOR ?? '') !== '' || (CI ?? '') !== ''
  const secrets = new Set<string>()
  const clean = (text: string): string => {
    let result = text
    for (const secret of secrets) result = result.replaceAll(secret, '***')
    return result
  }
  const json = options.json ?? false
  const quiet = options.quiet ?? false
  return {
    json,
    quiet,
    colour: createColour(process.stdout.isTTY === true && process.stderr.isTTY === true && !plain),
    live: process.stderr.isTTY === true && !quiet && (CI ?? '') === '',
    data: (text) => {
      if (!json) process.stdout.write(`${clean(text)}\n`)
    },
    say: (text) => {
      if (!quiet) process.stderr.write(`${clean(text)}\n`)
    },
    complain: (text) => void process.stderr.write(`${clean(text)}\n`),
    hide: (found) => {
      for (const secret of found) if (secret.length >= MIN_HIDDEN_LENGTH) secrets.add(secret)
    },
    final: (value) => {
      if (json) process.stdout.write(`${clean(toJson(value))}\n`)
    },
  }
}
