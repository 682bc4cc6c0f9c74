import type { StoredClaim } from '../destinations/destination.ts'
import { PlimsollError } from '../kernel/errors.ts'
import { describeError, raise } from './alarms.ts'
import { checkAgainstClaim } from './check-claim.ts'
import { choose } from './choose.ts'
import { noteAtDestination } from './close-run.ts'
import { completenessAtOpening } from './completeness.ts'
import type { Engine } from './engine.ts'
import { makeFacts, writeFacts } from './facts.ts'
import { withHoles } from './holes.ts'
import { holdLease } from './lease.ts'
import { memoryCoverage, memoryOfClaim, saveMemory } from './progress-state.ts'
import { boundsOf, createRecorder, type RunKind } from './record.ts'
import { partitionAlarms } from './schema-alarms.ts'
import type { StreamSettings } from './settings.ts'
import { settleClaim } from './settle-claim.ts'
import type { StreamSession } from './stream-session.ts'
import { targetTable } from './target-table.ts'
import { openTimeline } from './timeline.ts'
import { settleEmptied } from './went-back.ts'

/**
 * Everything before the fence (spec E9): lease, claim, identity, schema, the table at the destination, and the raised
 * epoch written beside the data. Throws the errors of `choose`, `check-source` and the connectors; the lease is given
 * back then. A run that died is closed as `abandoned`.
 */
export async function openSession(
  engine: Engine,
  settings: StreamSettings,
  runKind: RunKind,
): Promise<StreamSession> {
  const stored = await engine.destination.claim(settings.stream)
  const lease = await holdLease(engine, settings.catalogKey, settings.limits.leaseMs, stored?.epoch ?? 0)
  try {
    await engine.reach('lease.acquired')
    await closeAbandoned(engine, settings.catalogKey, lease.lease.epoch)
    const runId = engine.newRunId()
    await engine.catalog.openRun({
      runId,
      stream: settings.catalogKey,
      epoch: lease.lease.epoch,
      openedUs: engine.catalog.nowUs(),
      host: engine.holder.host,
      pid: engine.holder.pid,
      kind: runKind,
    })
    await engine.reach('run.opened')
    engine.emit({ kind: 'run_opened', stream: settings.stream, runId, runKind })
    return await inspect(engine, settings, runKind, runId, lease)
  } catch (error) {
    await lease.release()
    throw error
  }
}

async function inspect(
  engine: Engine,
  settings: StreamSettings,
  runKind: RunKind,
  runId: string,
  lease: StreamSession['lease'],
): Promise<StreamSession> {
  const { source, destination } = engine
  const recorder = createRecorder({
    run_id: runId,
    stream: settings.stream,
    kind: runKind,
    program: engine.programVersion,
    config: engine.configHash,
    opened_us: String(engine.catalog.nowUs()),
    host: engine.holder.host,
    pid: engine.holder.pid,
    ...(engine.rehearsal ? { rehearsal: true } : {}),
  })
  try {
    const [identity, destinationIdentity] = [await source.identity(), await destination.identity()]
    const shape = await source.describe(settings.table, settings.position)
    const choice = choose(settings, shape)
    for (const what of choice.said) engine.emit({ kind: 'chosen', stream: settings.stream, what })
    if (runKind === 'run') await engine.mayRun?.(settings)
    const found = await settleClaim(engine, settings, destinationIdentity.id, runId)
    const checked = checkAgainstClaim(settings, found.claim, identity, shape, choice)
    const { order } = choice
    const partitions = await partitionAlarms(
      source,
      settings.stream,
      checked.facts,
      shape,
      choice,
      found.claim?.watermark,
    )
    const table = targetTable(settings, shape, choice)
    const destinationId = destinationIdentity.id
    const at = { identity, order, checked, destinationId, runId }
    const standing = await openTimeline(engine, settings, found, at)
    const before = await settleEmptied(engine, settings, table, standing, destinationId, runKind)
    const prepared = await destination.prepare(table, before.claim)
    if (prepared.kind === 'columns_added') await engine.reach('schema.destination_altered')
    const watermark = before.claim?.watermark
    const debts = before.memory?.debts ?? []
    const made = {
      ...makeFacts(identity, shape, order, {
        key: choice.key,
        mode: settings.mode,
        cause: before.opened?.cause ?? checked.facts?.cause ?? 'first_load',
        parent: before.opened?.parent ?? checked.facts?.parent ?? null,
        t0: checked.facts?.t0 ?? '',
      }),
      completeness: completenessAtOpening(
        settings,
        order,
        watermark,
        checked.facts?.completeness,
        debts.length,
      ),
      debts,
    }
    const facts = withHoles(made, before.memory ? memoryCoverage(before.memory) : [])
    const claim: StoredClaim = {
      stream: settings.stream,
      generation: before.claim?.generation ?? before.opened?.generation ?? 1,
      watermark,
      proof: before.claim?.proof ?? 'assumed',
      epoch: lease.lease.epoch,
      readSeq: before.claim?.readSeq ?? 0,
      batch: before.claim?.batch,
      tailKeys: before.claim?.tailKeys ?? [],
      facts: writeFacts(facts),
    }
    const memory = before.memory ?? memoryOfClaim(claim, destinationIdentity.id)
    const extraOverlap = String(BigInt(memory.extraOverlap) + checked.extraOverlap)
    // The claim forgets the old grain and timeline: what they ask for is remembered first.
    if (before.memory && checked.extraOverlap > 0n) {
      await saveMemory(engine, lease, { ...memory, extraOverlap })
    }
    await destination.writeClaim(claim, before.claim)
    const session: StreamSession = {
      engine,
      settings,
      lease,
      recorder,
      runId,
      identity,
      destinationId: destinationIdentity.id,
      shape,
      choice,
      table,
      claimAtStart: claim,
      classBelow: claim.watermark,
      clockBefore: found.clockForgotten ? checked.facts?.t0 : undefined,
      judgesLateness: !checked.begins && !before.opened,
      claim,
      facts,
      memory: { ...memory, generation: claim.generation, extraOverlap },
      coverage: memoryCoverage(memory),
      halvings: 0,
    }
    await saveMemory(engine, lease, session.memory)
    if (before.adopted) recorder.adopt(before.adopted)
    recorder.note({
      kind: runKind === 'run' && !watermark ? 'first_load' : runKind,
      generation: claim.generation,
      source: facts.source,
      destination: destinationIdentity,
      schema_hash: shape.schemaHash,
      key: choice.key,
      order: facts.order,
      columns_added: checked.added,
      columns_added_below: checked.added.length > 0 && claim.watermark ? String(claim.watermark.value) : null,
    })
    const below = claim.watermark ? String(claim.watermark.value) : ''
    for (const alarm of [...checked.alarms, ...partitions])
      await raise(session, alarm.name, alarm.text, below)
    return session
  } catch (error) {
    recorder.note({ error: describeError(error) })
    const record = recorder.finish('failed', undefined, undefined)
    const closed = await engine.catalog
      .closeRun(runId, settings.catalogKey, { ...record, closed_us: String(engine.catalog.nowUs()) })
      .catch((closing: unknown) => {
        if (!(closing instanceof PlimsollError)) throw closing
        throw takenOver(settings.stream, error)
      })
    const heldBy =
      error instanceof PlimsollError ? { heldBy: `failing: ${error.code}: ${error.message}` } : {}
    await noteAtDestination(engine, settings.stream, { recordHash: closed.hash, ...heldBy })
    throw error
  }
}

/**
 * The run is closed already: another took over meanwhile (spec E63). What this one found may be half from before and half
 * from after, and is no news of source or destination.
 */
function takenOver(stream: string, found: unknown): unknown {
  if (!(found instanceof PlimsollError) || found.code === 'LEASE_FENCED_OUT') return found
  return new PlimsollError(
    'LEASE_FENCED_OUT',
    `${stream}: another run took over while this one stood still`,
    {
      hint: `What it found in between may not hold: ${found.message}. Look at plimsoll runs for the other.`,
      cause: found,
    },
  )
}

/** Runs of older epochs are dead or fenced out; one of a newer epoch has taken over from this process. */
async function closeAbandoned(engine: Engine, catalogKey: string, epoch: number): Promise<void> {
  for (const run of await engine.catalog.openRuns(catalogKey)) {
    if (run.epoch >= epoch) continue
    const { runId, kind, host, pid, openedUs } = run
    const landed = await landedBy(engine, catalogKey, runId)
    const record = {
      ...landed,
      run_id: runId,
      kind,
      host,
      pid,
      opened_us: String(openedUs),
      outcome: 'abandoned',
    }
    await engine.catalog.closeRun(runId, catalogKey, record)
  }
}

/** What the ledger knows of a run that can tell no more: its ranges stand, though nobody holds their receipts. */
async function landedBy(
  engine: Engine,
  catalogKey: string,
  runId: string,
): Promise<Readonly<Record<string, unknown>>> {
  const entries = (await engine.catalog.ranges(catalogKey)).filter((entry) => entry.runId === runId)
  const moved = entries.filter(({ kind }) => kind === 'run' || kind === 'first_load')
  const [first] = moved
  if (!first) return {}
  return {
    generation: first.generation,
    position_kind: first.range.upper.kind,
    adopted: moved.map(({ range }) => boundsOf(range)),
  }
}
