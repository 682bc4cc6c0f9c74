import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Where and as what this process runs. */
export interface ProcessIdentity {
  readonly host: string
  readonly pid: number
  readonly mark: string
}

export function thisProcess(): ProcessIdentity {
  return { host: hostname(), pid: process.pid, mark: processMark(process.pid) ?? '' }
}

/**
 * True only when the process is certainly gone: same host, same boot, same process namespace, and either no such process or another
 * one that was given its number. When in doubt false: then its lease must expire (spec E63).
 */
export function isCertainlyDead(other: ProcessIdentity): boolean {
  if (other.host !== hostname()) return false
  if (worldOf(other.mark) !== worldOf(processMark(process.pid) ?? '')) return false
  if (!exists(other.pid)) return true
  const markNow = processMark(other.pid)
  return markNow !== undefined && other.mark !== '' && markNow !== other.mark
}

/** `boot namespace start`, empty where there is no /proc; undefined when that one process cannot be looked at. */
function processMark(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const namespace = readlinkSync('/proc/self/ns/pid')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command may hold spaces and brackets; the start time is the 20th field after it.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${boot} ${namespace} ${start}`
  } catch {
    return undefined
  }
}

function worldOf(mark: string): string {
  return mark.split(' ').slice(0, 2).join(' ')
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
