import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../../bin/plimsoll.cjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly errors: string
  /** The final JSON object, when the program lived to write it. */
  readonly json: unknown
}

export interface ProgramOptions {
  readonly cwd: string
  /** `name` or `name:n`: where the program ends itself with SIGKILL. */
  readonly failpoint?: string
  /** SIGKILL after so many ms. */
  readonly killAfterMs?: number
}

/** Runs the real, built program to its end, whatever that is. */
export function runProgram(args: readonly string[], options: ProgramOptions): Promise<Ended> {
  const env = { ...process.env, ...(options.failpoint ? { PLIMSOLL_FAILPOINT: options.failpoint } : {}) }
  const child = spawn(process.execPath, [PROGRAM, ...args, '--json', '--quiet'], {
    cwd: options.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const timer =
    options.killAfterMs === undefined
      ? undefined
      : setTimeout(() => child.kill('SIGKILL'), options.killAfterMs)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, errors, json: signal || output === '' ? undefined : JSON.parse(output) })
    })
  })
}
