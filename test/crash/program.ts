import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  /** The same, but it stands still there until SIGCONT. */
  readonly standAt?: string
  /** SIGKILL after so many ms. */
  readonly killAfterMs?: number
  /** No file of the program may grow beyond this. */
  readonly fileByteSizeMax?: number
}

/** Runs the real, built program to its end, whatever that is. */
export function runProgram(args: readonly string[], options: ProgramOptions): Promise<Ended> {
  return startProgram(args, options).ended
}

/** The same, for who wants to do something to the process meanwhile. */
export function startProgram(
  args: readonly string[],
  options: ProgramOptions,
): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
  const env = {
    ...process.env,
    ...(options.failpoint ? { PLIMSOLL_FAILPOINT: options.failpoint } : {}),
    ...(options.standAt ? { PLIMSOLL_FAILPOINT_STOP: options.standAt } : {}),
  }
  const program = [process.execPath, PROGRAM, ...args, '--json', '--quiet']
  const [file, ...rest] =
    options.fileByteSizeMax === undefined ? program : limited(program, options.fileByteSizeMax)
  const child = spawn(file!, rest, {
    cwd: options.cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout!.on('data', (chunk) => {
    output += chunk
  })
  child.stderr!.on('data', (chunk) => {
    errors += chunk
  })
  const timer =
    options.killAfterMs === undefined
      ? undefined
      : setTimeout(() => child.kill('SIGKILL'), options.killAfterMs)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, errors, json: signal || output === '' ? undefined : JSON.parse(output) })
    })
  })
  return { child, ended }
}

/** A shell that lets no file grow beyond a size: writing more fails as on a full disk, not by a signal. */
function limited(program: readonly string[], byteSize: number): string[] {
  const blocks = Math.floor(byteSize / 1024)
  return ['bash', '-c', `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`, 'limited', ...program]
}

/** Waits until a process stands still (SIGSTOP). */
export async function untilStopped(pid: number): Promise<void> {
  for (let i = 0; i < 400; i++) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    if (stat.slice(stat.lastIndexOf(')') + 2)[0] === 'T') return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('the program never stood still')
}
