import { PlimsollError } from '../kernel/errors.ts'
import { comparePositions, type Position } from '../kernel/position.ts'
import { formatPosition, parsePosition } from '../kernel/print.ts'
import { noteAtDestination } from './close-run.ts'
import type { Engine } from './engine.ts'
import { orderFromJson, readFacts } from './facts.ts'
import { holdLease } from './lease.ts'
import { newGeneration } from './new-generation.ts'
import { loadMemory, memoryOfGeneration, saveMemory } from './progress-state.ts'
import { createRecorder } from './record.ts'
import type { StreamSettings } from './settings.ts'

/** Where the watermark goes: before everything, to a position below it, or to what the destination's claim says. */
export type RewindTarget =
  | { readonly kind: 'start' }
  | { readonly kind: 'position'; readonly text: string }
  | { readonly kind: 'destination' }

export interface Rewound {
  readonly before: Position | undefined
  readonly after: Position | undefined
  readonly generation: number
}

/**
 * Lowers the watermark in a new generation, with person and reason in the record; the next run takes server, schema and
 * order as it finds them (spec E68, E70, E71). Throws STATE_INVALID when there is no claim or the target lies above it.
 */
export async function rewindStream(
  engine: Engine,
  settings: StreamSettings,
  target: RewindTarget,
  by: { readonly person: string; readonly reason: string },
): Promise<Rewound> {
  const claim = await engine.destination.claim(settings.stream)
  if (!claim) {
    throw new PlimsollError('STATE_INVALID', `${settings.stream}: the destination holds no claim to rewind`, {
      hint: 'A first run makes one.',
    })
  }
  const after = rewindPosition(settings.stream, claim.watermark, claim.facts, target)
  const lease = await holdLease(engine, settings.catalogKey, settings.limits.leaseMs, claim.epoch)
  try {
    const memory = await loadMemory(engine, settings.catalogKey)
    const generation = Math.max(claim.generation, memory?.generation ?? 0) + 1
    const runId = engine.newRunId()
    const openedUs = engine.catalog.nowUs()
    await engine.catalog.openRun({
      runId,
      stream: settings.catalogKey,
      epoch: lease.lease.epoch,
      openedUs,
      host: engine.holder.host,
      pid: engine.holder.pid,
      kind: 'rewind',
    })
    const lowered = { ...claim, watermark: after, epoch: lease.lease.epoch }
    const next = await newGeneration(engine, lowered, generation, 'rewind', claim)
    const { id } = await engine.destination.identity()
    const kept = { ...memoryOfGeneration(next, id, memory), contradicted: false }
    await saveMemory(engine, lease, kept)
    const recorder = createRecorder({
      run_id: runId,
      stream: settings.stream,
      kind: 'rewind',
      opened_us: String(openedUs),
      host: engine.holder.host,
      pid: engine.holder.pid,
      program: engine.programVersion,
      generation,
      parent: claim.generation,
      person: by.person,
      reason: by.reason,
    })
    const record = recorder.finish('rewound', claim.watermark, after)
    const { hash } = await engine.catalog.closeRun(runId, settings.catalogKey, record)
    await noteAtDestination(engine, settings.stream, { recordHash: hash, heldBy: null })
    await engine.reach('rewind.recorded')
    return { before: claim.watermark, after, generation }
  } finally {
    await lease.release()
  }
}

function rewindPosition(
  stream: string,
  watermark: Position | undefined,
  facts: string,
  target: RewindTarget,
): Position | undefined {
  if (target.kind === 'start') return undefined
  if (target.kind === 'destination') return watermark
  const position = parsePosition(orderFromJson(readFacts(facts).order), target.text)
  if (!position) {
    throw new PlimsollError('USAGE', `${target.text} is no position of ${stream}`, {
      hint: `Write it as the watermark is printed: ${formatPosition(watermark)}.`,
    })
  }
  if (!watermark || comparePositions(position, watermark) > 0) {
    throw new PlimsollError(
      'STATE_INVALID',
      `${stream}: ${formatPosition(position)} lies above the watermark ${formatPosition(watermark)}`,
      {
        hint: 'A rewind only lowers a claim; only a run raises it.',
      },
    )
  }
  return position
}
