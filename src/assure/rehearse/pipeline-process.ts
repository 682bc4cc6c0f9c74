import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PlimsollError } from '../../kernel/errors.ts'
import type { History } from './history.ts'
import { KILL_EVERY_S, type PlannedKill } from './plan.ts'

/** The real program, as a person would start it. */
export interface ProgramToRun {
  /** Node, its options and the program's file. */
  readonly command: readonly [string, ...string[]]
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly logFile: string
}

export interface RunningPipeline {
  /** Ends it by SIGTERM, as an operator does; it finishes its run. */
  stop(): Promise<void>
  /** Rejects when the program will not run at all. */
  readonly failed: Promise<never>
}

/** A name that no run reaches must not keep the program alive. */
const KILL_LATEST_S = KILL_EVERY_S + 15
const RESTART_MS = 200
/** So many ends that nobody asked for. */
const FAILURES_MAX = 10
const STOP_MAX_MS = 60_000

/** Keeps the pipeline running through every planned SIGKILL (assurance A50, E74). */
export function startPipeline(
  program: ProgramToRun,
  kills: readonly PlannedKill[],
  history: History,
): RunningPipeline {
  let stopping = false
  let child: ReturnType<typeof start> | undefined
  const left = [...kills]
  const supervise = async (): Promise<void> => {
    for (let failures = 0; failures < FAILURES_MAX; ) {
      const kill = left[0]
      child = start(program, kill)
      const latest = kill && setTimeout(() => child?.kill('SIGKILL'), KILL_LATEST_S * 1_000)
      const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
      clearTimeout(latest)
      if (stopping) return
      if (signal === 'SIGKILL' && kill) {
        left.shift()
        history.add({ kind: 'kill', failpoint: kill.failpoint, died: true })
      } else failures++
      await sleep(RESTART_MS)
    }
    throw new PlimsollError('SOURCE_FAILED', `the pipeline ended ${FAILURES_MAX} times by itself`, {
      hint: tailOf(program.logFile),
    })
  }
  const supervised = supervise()
  const failed = new Promise<never>((_, reject) => supervised.catch(reject))
  failed.catch(() => {})
  return {
    failed,
    stop: async () => {
      stopping = true
      child?.kill('SIGTERM')
      const impatience = setTimeout(() => child?.kill('SIGKILL'), STOP_MAX_MS)
      await supervised.catch(() => {})
      clearTimeout(impatience)
    },
  }
}

function start(
  { command: [file, ...before], args, env, cwd, logFile }: ProgramToRun,
  kill: PlannedKill | undefined,
) {
  const log = openSync(logFile, 'a')
  const armed = kill ? { PLIMSOLL_FAILPOINT: `${kill.failpoint}@${KILL_EVERY_S}` } : {}
  const child = spawn(file, [...before, ...args], {
    cwd,
    env: { ...env, ...armed } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'ignore', log],
  })
  closeSync(log)
  return child
}

const TAIL = 2_000

function tailOf(logFile: string): string {
  return `It said: ${readFileSync(logFile, 'utf8').slice(-TAIL).trim()}`
}
