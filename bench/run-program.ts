import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../', import.meta.url))

export interface ProgramRun {
  readonly wallMs: number
  /** The largest resident size seen, in bytes; 0 where /proc does not tell. */
  readonly peakBytes: number
  readonly output: string
}

/** Runs a command to its end, watching its memory. Throws with its stderr when it fails. */
export async function runProgram(
  command: string,
  args: readonly string[],
  cwd = ROOT,
  mayEndWith: readonly number[] = [0],
): Promise<ProgramRun> {
  const startedMs = performance.now()
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-4_000)
  })
  let peakBytes = 0
  const watch = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    const kib = /VmHWM:\s+(\d+)/.exec(status)?.[1]
    if (kib) peakBytes = Math.max(peakBytes, Number(kib) * 1024)
  }, 50)
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  clearInterval(watch)
  if (!mayEndWith.includes(code))
    throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${errors}`)
  return { wallMs: performance.now() - startedMs, peakBytes, output }
}

/** Our program, built, as a user runs it. */
export const plimsoll = (args: readonly string[], cwd: string): Promise<ProgramRun> =>
  runProgram(process.execPath, [`${ROOT}bin/plimsoll.cjs`, ...args, '--json', '--quiet'], cwd)

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

/** One figure, as a JSON line for machines and people. */
export function report(name: string, figures: Readonly<Record<string, number | string>>): void {
  const rounded = Object.entries(figures).map(([key, value]) => [
    key,
    typeof value === 'number' ? Math.round(value * 1000) / 1000 : value,
  ])
  console.log(JSON.stringify({ figure: name, ...Object.fromEntries(rounded) }))
}
