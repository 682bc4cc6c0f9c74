import type { Command, Option } from 'commander'
import { PlimsollError } from '../kernel/errors.ts'
import { act } from './action.ts'
import { renderCompletion, SHELLS, type WordsOf } from './render/completion.ts'

/** `plimsoll completion`: a script for the shell, made from the commands as they are. */
export function registerCompletion(program: Command): void {
  const command = program
    .command('completion <shell>')
    .description(`print a completion script: ${SHELLS.join(', ')}`)
  act(command, async (terminal, _options, [name = '']) => {
    const shell = SHELLS.find((each) => each === name)
    if (!shell)
      throw new PlimsollError('USAGE', `no completion for ${name}`, { hint: `Known: ${SHELLS.join(', ')}.` })
    const script = renderCompletion(shell, wordsOf(program))
    terminal.data(script)
    return { json: { shell, script } }
  })
}

/** Every command's path with the words that may follow it. */
function wordsOf(command: Command, path = ''): WordsOf {
  const children = command.commands.map((child) => child.name())
  const options = command.options
    .filter((option: Option) => !option.hidden)
    .flatMap((option) => (option.long ? [option.long] : []))
  const own = { path, words: [...children, ...options], descriptions: describe(command) }
  return [own, ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`.trim()))]
}

function describe(command: Command): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...command.commands.map((child) => [child.name(), child.description()]),
    ...command.options.flatMap((option) => (option.long ? [[option.long, option.description]] : [])),
  ])
}
