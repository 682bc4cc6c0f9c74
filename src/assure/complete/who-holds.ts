import type { Catalog, Lease } from '../../catalog/catalog.ts'
import { type RecordView, readRecord } from '../../extract/record-view.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { KnownClaim } from './known-claim.ts'

const RECORDS = 200
const RUNS = new Set(['run', 'first_load'])

/** Who or what keeps a stream's claim from moving, in words (spec A54). */
export async function whoHolds(
  catalog: Catalog,
  catalogKey: string,
  claim: KnownClaim | undefined,
): Promise<string> {
  const runs = (await catalog.records(catalogKey, RECORDS))
    .map(readRecord)
    .filter(({ kind }) => RUNS.has(kind ?? ''))
  const [last] = runs
  const lease = (await catalog.leases()).find(({ stream }) => stream === catalogKey)
  if (lease && lease.expiresUs > catalog.nowUs()) return leaseText(lease)
  if (last?.error) return failingText(runs, last)
  if (last?.outcome === 'abandoned') return 'its last run died; the next one goes on from the claim'
  if (last?.outcome === 'held') return heldText(last)
  if (!claim) return 'never claimed: nothing has landed yet'
  if (claim.row?.heldBy) return claim.row.heldBy
  if (last?.fence?.heldBecause) return heldText(last)
  return last
    ? `nobody: its last run began ${at(last.opened_us)}, and the next one moves on`
    : 'nobody is known'
}

function leaseText({ pid, host }: Lease): string {
  return `a run is at work: process ${pid} on ${host} holds the lease`
}

function failingText(runs: readonly RecordView[], last: RecordView): string {
  const good = runs.findIndex(({ error }) => !error)
  const failed = good < 0 ? runs : runs.slice(0, good)
  const { code, message } = last.error!
  return `failing since ${at(failed.at(-1)?.opened_us)} (${failed.length} ${failed.length === 1 ? 'run' : 'runs'}): ${code}: ${message}`
}

/** The fence is held by a session: with what the last record knows of it (spec E37). */
function heldText({ fence }: RecordView): string {
  const [witness] = fence?.witnesses ?? []
  const about = ['user', 'application', 'client', 'state'].flatMap((name) =>
    witness?.[name] === undefined ? [] : [`${name} ${witness[name]}`],
  )
  const said = fence?.heldBecause ?? 'the fence has not passed the watermark'
  if (fence?.heldBecause || !witness) return said
  return `${said}: ${[`key ${witness.key}`, ...about].join(', ')}`
}

const at = (us: string | undefined): string =>
  us === undefined ? 'at a time unknown' : formatTimestampUs(BigInt(us), 'Z').replace(/\.\d+/, '')
