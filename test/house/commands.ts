import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'

/** What code blocks of a page tell the program to do: a prompt before a line and a backslash at its end are the shell's. */
export function commandsIn(text: string): string[] {
  return [...text.matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
    block!
      .replaceAll(/\\\n */g, '')
      .split('\n')
      .map((line) => line.replace(/^\$ /, ''))
      .filter((line) => line.startsWith('plimsoll ')),
  )
}

/** As a shell splits it: quotes hold words together. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, bare]) => one ?? two ?? bare!)

/** Undefined when the program's parser accepts the line; nothing is done. */
export async function refusal(line: string): Promise<string | undefined> {
  const program = createProgram()
  const disarm = (command: Command): void => {
    command.action(() => {})
    command.exitOverride()
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} })
    for (const child of command.commands) disarm(child)
  }
  for (const child of program.commands) disarm(child)
  try {
    await program.parseAsync(['node', ...wordsOf(line)])
    return undefined
  } catch (error) {
    return `${line}: ${error instanceof Error ? error.message : String(error)}`
  }
}
