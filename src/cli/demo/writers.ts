import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { WriterCounts, WriterTask } from './writer.ts'

export interface Writers {
  /** What they did in sum, once all have ended. Rejects when one failed. */
  readonly ended: Promise<WriterCounts>
  /** Ends what still runs; harmless afterwards. */
  kill(): void
}

/** Starts a process for each task. They end by themselves at `untilMs`, or when this process ends. */
export function startWriters(tasks: readonly WriterTask[]): Writers {
  const children = tasks.map(startWriter)
  const ended = Promise.all(children.map(countsOf)).then((all) => ({
    transactions: sum(all.map((each) => each.transactions)),
    rolledBack: sum(all.map((each) => each.rolledBack)),
    committedLate: sum(all.map((each) => each.committedLate)),
  }))
  ended.catch(() => {}) // Awaited later; a failure before that is not unhandled.
  return { ended, kill: () => void children.map((child) => child.kill('SIGKILL')) }
}

function startWriter(task: WriterTask): ChildProcess {
  const program = fileURLToPath(new URL(`./writer${extname(import.meta.url)}`, import.meta.url))
  return fork(program, [JSON.stringify(task)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

function countsOf(child: ChildProcess): Promise<WriterCounts> {
  return new Promise((resolve, reject) => {
    let counts: WriterCounts | undefined
    child.once('message', (message) => {
      counts = message as WriterCounts
    })
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (counts) resolve(counts)
      else reject(new Error(`a writer of the demo ended with ${signal ?? `exit code ${code}`}`))
    })
  })
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
