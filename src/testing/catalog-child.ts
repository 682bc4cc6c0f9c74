import type { Catalog } from '../catalog/catalog.ts'

interface Subject {
  openCatalog(location: string): Promise<Catalog>
}

/** What the catalog suite runs in child processes; each prints a line a step. */

const say = (line: string): boolean => process.stdout.write(`${line}\n`)

/** Takes the lease for an hour and dies with it. */
export async function takeLeaseAndDie(subject: Subject, location: string, stream: string): Promise<void> {
  const catalog = await subject.openCatalog(location)
  const answer = await catalog.acquireLease(stream, 'child', 3_600_000, 0)
  say(answer.kind === 'acquired' ? String(answer.lease.epoch) : 'busy')
  process.kill(process.pid, 'SIGKILL')
}

/** Takes and gives back the lease `rounds` times and says when it held it, by the catalog's clock. */
export async function takeTurns(
  subject: Subject,
  location: string,
  stream: string,
  rounds: string,
): Promise<void> {
  const catalog = await subject.openCatalog(location)
  for (let done = 0; done < Number(rounds); ) {
    const answer = await catalog.acquireLease(stream, `child ${process.pid}`, 60_000, 0)
    if (answer.kind === 'busy') {
      await new Promise((resolve) => setTimeout(resolve, 1))
      continue
    }
    const before = (await catalog.memory('turns', 'count')) ?? '0'
    await new Promise((resolve) => setTimeout(resolve, 2))
    await catalog.remember('turns', 'count', String(Number(before) + 1))
    say(String(answer.lease.epoch))
    await catalog.releaseLease(answer.lease)
    done++
  }
  await catalog.close()
}

/** Opens and closes runs until it is killed; says each run id once its record is stored. */
export async function closeRunsUntilKilled(
  subject: Subject,
  location: string,
  stream: string,
): Promise<void> {
  const catalog = await subject.openCatalog(location)
  for (let i = 0; ; i++) {
    const runId = `run-${i}`
    const openedUs = catalog.nowUs()
    await catalog.openRun({
      runId,
      stream,
      epoch: 1,
      openedUs,
      host: 'here',
      pid: process.pid,
      kind: 'run',
    })
    await catalog.closeRun(runId, stream, { run_id: runId, filler: 'x'.repeat(5_000) })
    say(runId)
  }
}
