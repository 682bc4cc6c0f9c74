import type { CheckSession } from '../check-session.ts'
import { NotLooked } from '../not-looked.ts'
import type { SecondLookPolicy } from './second-look.ts'

const POLL_MS = 250

/**
 * Waits until a run that began after `sinceUs` has ended, at least `secondLookMs` and at most `secondLookMaxMs`
 * (spec A11). Returns whether there was such a run. Told to stop, the check has no second look, so it has not looked (A2).
 */
export async function waitForSecondLook(
  check: CheckSession,
  sinceUs: bigint,
  { secondLookMs, secondLookMaxMs }: SecondLookPolicy,
): Promise<boolean> {
  const { catalog, clock, signal } = check.engine
  const begunMs = clock.nowMs()
  for (;;) {
    const waitedMs = clock.nowMs() - begunMs
    const hasRun = await runSince(check, sinceUs)
    if (waitedMs >= secondLookMaxMs || (hasRun && waitedMs >= secondLookMs)) return hasRun
    if (signal?.aborted) throw new NotLooked('source', 'told to stop before the second look')
    await clock.sleep(Math.min(POLL_MS, Math.max(1, secondLookMaxMs - waitedMs)))
  }

  async function runSince({ settings }: CheckSession, us: bigint): Promise<boolean> {
    const records = await catalog.records(settings.catalogKey, RECENT)
    return records.some(({ json }) => {
      const record = JSON.parse(json) as { kind?: string; opened_us?: string; outcome?: string }
      return isRun(record.kind) && isDone(record.outcome) && BigInt(record.opened_us ?? '0') >= us
    })
  }
}

const RECENT = 20
const isRun = (kind: string | undefined): boolean => kind === 'run' || kind === 'first_load'
const isDone = (outcome: string | undefined): boolean => outcome === 'advanced' || outcome === 'empty'
