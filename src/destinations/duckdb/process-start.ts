import { readFile } from 'node:fs/promises'

/** Field 22 of /proc/<pid>/stat: clock ticks after boot. Tells two processes of one number apart. */
const START_FIELD = 22
const UNKNOWN = '0'

/** When a process began, as a number that only its namesakes lack; `0` where the system does not tell. */
export async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  // The command name, in parentheses, may hold blanks.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields?.[START_FIELD - 3] ?? UNKNOWN
}

/** Whether the process of that number and start still runs. In doubt it does. */
export async function isAlive(pid: number, start: string): Promise<boolean> {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const present = await startOf(pid)
  return present === UNKNOWN || start === UNKNOWN || present === start
}
