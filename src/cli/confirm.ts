import { createInterface } from 'node:readline/promises'
import { PlimsollError } from '../kernel/errors.ts'
import type { Terminal } from './terminal.ts'

/** Asks before something that takes effort to undo. Throws USAGE for a no, and where nobody can be asked. */
export async function confirm(
  terminal: Terminal,
  what: { readonly name: string; readonly question: string; readonly refused: string },
  yes: boolean | undefined,
): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY || terminal.json) {
    throw new PlimsollError(
      'USAGE',
      `a ${what.name} asks before it does anything, and there is no terminal to ask at`,
      { hint: 'Say --yes.' },
    )
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question(`${what.question} [y/N] `)
  prompt.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new PlimsollError('USAGE', what.refused)
}
