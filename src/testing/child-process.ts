import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A real process that runs one exported function of a module; what it prints arrives line by line. */
export interface Child {
  readonly process: ChildProcess
  /** The next line the child printed; undefined when it has ended. Rejects with its error output when it failed. */
  nextLine(): Promise<string | undefined>
  /** Ends it as the machine would, without a chance to clean up. */
  kill(): Promise<void>
  ended(): Promise<void>
}

/** TypeScript modules are run through vite, as vitest does; others by Node itself. */
const PROGRAM = `
const [module, name, subject, ...args] = process.argv.slice(1)
const load = async (file) => file.endsWith('.ts')
  ? (await (await import('vite')).runnerImport(file, { logLevel: 'error' })).module
  : import('file://' + file)
await (await load(module))[name](await load(subject), ...args)
process.exit(0)
`

/** Starts `module`'s exported `name(exports of subject, ...args)` in a process of its own. */
export function startChild(module: string, name: string, subject: string, ...args: readonly string[]): Child {
  const command = ['--input-type=module', '-e', PROGRAM, module, name, subject, ...args]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const errors: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => void errors.push(text))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    process: child,
    async nextLine() {
      const line = await lines.next()
      if (!line.done) return line.value
      await closed
      if (child.exitCode) throw new Error(`the child failed: ${errors.join('')}`)
      return undefined
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
    ended: () => closed,
  }
}
