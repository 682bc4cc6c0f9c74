import type { StoredClaim, TargetTable } from '../destinations/destination.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { PositionOrder } from '../kernel/order.ts'
import type { ServerIdentity, TableShape } from '../sources/source.ts'
import { checkIdentity, checkOrder, checkSchema } from './check-source.ts'
import { type Choice, choose } from './choose.ts'
import type { Engine } from './engine.ts'
import { type ClaimFacts, makeFacts, readFacts, writeFacts } from './facts.ts'
import { holdLease } from './lease.ts'
import { compareWithMemory, loadMemory, memoryCoverage, memoryOfClaim, saveMemory } from './progress-state.ts'
import { createRecorder, type RunKind } from './record.ts'
import type { StreamSettings } from './settings.ts'
import type { StreamSession } from './stream-session.ts'

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
    await closeAbandoned(engine, settings.catalogKey)
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
  })
  try {
    const [identity, destinationIdentity] = [await source.identity(), await destination.identity()]
    const shape = await source.describe(settings.table, settings.position)
    const choice = choose(settings, shape)
    for (const what of choice.said) engine.emit({ kind: 'chosen', stream: settings.stream, what })
    const before = await settleClaim(engine, settings, destinationIdentity.id)
    const checked = checkAgainstClaim(settings, before.claim, identity, shape, choice)
    const order = checked.order
    const table = targetTable(settings, shape, { ...choice, order })
    const prepared = await destination.prepare(table, before.claim)
    if (prepared.kind === 'columns_added') await engine.reach('schema.destination_altered')
    const facts = makeFacts(identity, shape, order, {
      key: choice.key,
      mode: settings.mode,
      cause: checked.facts?.cause ?? 'first_load',
      parent: checked.facts?.parent ?? null,
      t0: checked.facts?.t0 ?? '',
    })
    const claim: StoredClaim = {
      stream: settings.stream,
      generation: before.claim?.generation ?? 1,
      watermark: before.claim?.watermark,
      proof: before.claim?.proof ?? 'assumed',
      epoch: lease.lease.epoch,
      readSeq: before.claim?.readSeq ?? 0,
      batch: before.claim?.batch,
      tailKeys: before.claim?.tailKeys ?? [],
      facts: writeFacts(facts),
    }
    await destination.writeClaim(claim, before.claim)
    const memory = before.memory ?? memoryOfClaim(claim, destinationIdentity.id)
    const extraOverlap = String(BigInt(memory.extraOverlap) + checked.extraOverlap)
    const session: StreamSession = {
      engine,
      settings,
      lease,
      recorder,
      runId,
      identity,
      destinationId: destinationIdentity.id,
      shape,
      choice: { ...choice, order },
      table,
      claimAtStart: claim,
      claim,
      facts,
      memory: { ...memory, generation: claim.generation, extraOverlap },
      coverage: memoryCoverage(memory),
    }
    await saveMemory(engine, settings.catalogKey, session.memory)
    recorder.note({
      generation: claim.generation,
      source: facts.source,
      destination: destinationIdentity,
      schema_hash: shape.schemaHash,
      key: choice.key,
      order: facts.order,
      columns_added: checked.added,
      columns_added_below: checked.added.length > 0 && claim.watermark ? String(claim.watermark.value) : null,
    })
    for (const alarm of checked.alarms) await raise(session, alarm.name, alarm.text)
    return session
  } catch (error) {
    recorder.note({ error: describeError(error) })
    await engine.catalog.closeRun(runId, settings.catalogKey, recorder.finish('failed', undefined, undefined))
    throw error
  }
}

/** Error as it stands in a record: code, text, hint; no stack, no secrets. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof PlimsollError) {
    return {
      code: error.code,
      message: error.message,
      hint: error.hint ?? null,
      context: JSON.parse(JSON.stringify(error.context)),
    }
  }
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) }
}

/** Raises an alarm in the catalog, the record and the events at once. */
export async function raise(
  session: StreamSession,
  name: string,
  text: string,
  evidence = '',
): Promise<void> {
  await session.engine.catalog.raiseAlarm(session.settings.catalogKey, name, text, evidence)
  session.recorder.alarm(name, text)
  session.engine.emit({ kind: 'alarm', stream: session.settings.stream, name, text })
}

async function closeAbandoned(engine: Engine, catalogKey: string): Promise<void> {
  for (const run of await engine.catalog.openRuns(catalogKey)) {
    const { runId, kind, host, pid, openedUs } = run
    const record = {
      run_id: runId,
      stream: catalogKey,
      kind,
      host,
      pid,
      opened_us: String(openedUs),
      outcome: 'abandoned',
    }
    await engine.catalog.closeRun(runId, catalogKey, record)
  }
}

interface SettledClaim {
  readonly claim: StoredClaim | undefined
  readonly memory: StreamSession['memory'] | undefined
}

/** Brings the claim beside the data and the catalog together (spec E60, E61). Throws DESTINATION_WENT_BACK. */
async function settleClaim(
  engine: Engine,
  settings: StreamSettings,
  destinationId: string,
): Promise<SettledClaim> {
  const claim = await engine.destination.claim(settings.stream)
  const memory = await loadMemory(engine, settings.catalogKey)
  const relation = compareWithMemory(claim, memory, destinationId)
  if (relation === 'same') return { claim, memory }
  if (relation === 'first') return { claim: undefined, memory: undefined }
  if (relation === 'adopt') return { claim, memory: memoryOfClaim(claim!, destinationId) }
  if (relation === 'ahead') {
    // A landing was durable and the process died before the catalog heard of it: the claim is the truth.
    const caughtUp = memoryOfClaim(claim!, destinationId)
    return {
      claim,
      memory: {
        ...memory!,
        watermark: caughtUp.watermark,
        readSeq: caughtUp.readSeq,
        coverage: caughtUp.coverage,
      },
    }
  }
  if (settings.onDestinationWentBack === 'stop') {
    throw new PlimsollError(
      'DESTINATION_WENT_BACK',
      `${settings.stream}: the destination is older than what was landed there`,
      {
        hint: `It was restored, replaced or emptied. To go on from what it holds: onDestinationWentBack: rewind, or plimsoll state rewind ${settings.stream} --to destination --reason "…".`,
        context: {
          catalog_watermark: memory!.watermark?.value ?? null,
          destination_watermark: claim?.watermark ? String(claim.watermark.value) : null,
        },
      },
    )
  }
  const rewound = claim
    ? await newGeneration(engine, claim, memory!.generation + 1, 'destination_went_back')
    : undefined
  return { claim: rewound, memory: rewound ? memoryOfClaim(rewound, destinationId) : undefined }
}

/** Writes the claim of a new generation: same watermark unless given, cause and parent in the facts (spec E71). */
export async function newGeneration(
  engine: Engine,
  claim: StoredClaim,
  generation: number,
  cause: ClaimFacts['cause'],
  watermark: StoredClaim['watermark'] = claim.watermark,
): Promise<StoredClaim> {
  const facts: ClaimFacts = {
    ...readFacts(claim.facts),
    cause,
    parent: claim.generation,
    acceptPresent: true,
  }
  const next: StoredClaim = { ...claim, generation, watermark, facts: writeFacts(facts), tailKeys: [] }
  await engine.destination.writeClaim(next, claim)
  await engine.reach('generation.opened')
  return next
}

interface Checked {
  readonly facts: ClaimFacts | undefined
  readonly order: PositionOrder
  readonly added: readonly string[]
  readonly extraOverlap: bigint
  readonly alarms: readonly { name: string; text: string }[]
}

function checkAgainstClaim(
  settings: StreamSettings,
  claim: StoredClaim | undefined,
  identity: ServerIdentity,
  shape: TableShape,
  choice: Choice,
): Checked {
  const none = { added: [], extraOverlap: 0n, alarms: [] }
  if (!claim) return { ...none, facts: undefined, order: choice.order }
  const facts = readFacts(claim.facts)
  if (facts.acceptPresent) return { ...none, facts, order: choice.order }
  const { timelineChanged } = checkIdentity(settings.stream, facts, identity)
  if (timelineChanged && settings.onTimelineChange === 'stop') {
    throw new PlimsollError(
      'SOURCE_CHANGED',
      `${settings.stream}: the source was promoted or restored: timeline ${facts.source.timeline} became ${identity.timeline}`,
      {
        hint: 'Commits of the old primary may be missing on the new one. Set onTimelineChange: { rewindMs: … } to read that span again, or rewind by hand.',
      },
    )
  }
  checkOrder(settings.stream, facts, choice)
  const added = checkSchema(settings.stream, facts, shape, choice.key)
  const grainBefore = BigInt(facts.order.grain)
  const coarser = choice.order.grain > grainBefore
  const rewindUs =
    timelineChanged && settings.onTimelineChange !== 'stop' ? settings.onTimelineChange.rewindUs : 0n
  const alarms = [
    ...(coarser
      ? [
          {
            name: 'grain_changed',
            text: `${choice.order.column} now moves in steps of ${choice.order.grain}, before ${grainBefore}; the overlap is widened once`,
          },
        ]
      : []),
    ...(added.length > 0 && claim.watermark
      ? [
          {
            name: 'column_added',
            text: `new column ${added.join(', ')}: rows below the watermark have no value there. To read them: plimsoll backfill ${settings.stream}`,
          },
        ]
      : []),
    ...(timelineChanged
      ? [
          {
            name: 'timeline_changed',
            text: `timeline ${facts.source.timeline} became ${identity.timeline}; ${rewindUs} µs are read again`,
          },
        ]
      : []),
  ]
  return {
    facts,
    order: choice.order,
    added,
    extraOverlap: (coarser ? choice.order.grain : 0n) + rewindUs,
    alarms,
  }
}

function targetTable(settings: StreamSettings, shape: TableShape, choice: Choice): TargetTable {
  return {
    stream: settings.stream,
    target: settings.target,
    columns: shape.columns,
    key: choice.key,
    order: choice.order,
    mode: settings.mode,
    nullKeys: settings.nullKeys,
    appendOnly: settings.appendOnly && choice.key.length === 0,
    asText: settings.asText,
  }
}
