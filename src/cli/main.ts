import { CommanderError } from 'commander'
import { PlimsollError } from '../kernel/errors.ts'
import { report } from './action.ts'
import { exitCodeOf } from './exit-code.ts'
import { createProgram } from './program.ts'
import { createTerminal } from './terminal.ts'

/** A reader that went away (`plimsoll runs | head`) is no failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const program = createProgram()
try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = explainUsage(error)
}
await drained()
process.exit()

/** What commander threw: help and version were printed already; anything else is a fault of usage. */
function explainUsage(error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0
  if (process.argv.length <= 2) {
    process.stderr.write(program.helpInformation())
    return 2
  }
  const terminal = createTerminal({ json: process.argv.includes('--json') })
  const fault = error instanceof CommanderError ? usageError(error) : error
  report(terminal, undefined, fault)
  return exitCodeOf(fault)
}

function usageError(error: CommanderError): PlimsollError {
  if (error.code === 'commander.help') {
    return new PlimsollError('USAGE', 'name a command', {
      hint: `${commandNames()}. plimsoll help COMMAND explains one.`,
    })
  }
  const [text = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const suggestion = rest.join(' ').replaceAll(/[()]/g, '').trim()
  const hint = suggestion === '' ? 'plimsoll help lists the commands.' : suggestion
  return new PlimsollError('USAGE', text, { hint })
}

function commandNames(): string {
  return program.commands.map((command) => command.name()).join(', ')
}

/** What was written has left the process before it ends: a pipe may take it in turns. */
async function drained(): Promise<void> {
  await Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
  )
}
