import type { Lease } from '../catalog/catalog.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { Engine } from './engine.ts'

/** A held lease: renewed in the background until released (spec E63). */
export interface HeldLease {
  readonly lease: Lease
  /** Throws LEASE_FENCED_OUT when another holder has taken over: finish nothing more. */
  assertHeld(): void
  release(): Promise<void>
}

/**
 * Takes the stream's lease with an epoch above `epochFloor` and keeps renewing it each third of `leaseMs`.
 * Throws STREAM_BUSY, naming the holder.
 */
export async function holdLease(
  engine: Engine,
  stream: string,
  leaseMs: number,
  epochFloor: number,
): Promise<HeldLease> {
  const answer = await engine.catalog.acquireLease(stream, engine.holder.name, leaseMs, epochFloor)
  if (answer.kind === 'busy') {
    const { host, pid, expiresUs } = answer.lease
    const seconds = (expiresUs - engine.catalog.nowUs()) / 1_000_000n
    throw new PlimsollError('STREAM_BUSY', `another run holds this stream: process ${pid} on ${host}`, {
      hint: `Wait for it to finish. If it is dead, its lease ends by itself in ${seconds > 0n ? seconds : 0n} s.`,
    })
  }
  let lost = false
  const renewal = setInterval(() => {
    engine.catalog.renewLease(answer.lease, leaseMs).then(
      (held) => {
        if (!held) lost = true
      },
      () => {
        // A catalog that cannot be written for a moment loses nothing: the destination refuses older epochs.
      },
    )
  }, leaseMs / 3)
  renewal.unref()
  return {
    lease: answer.lease,
    assertHeld() {
      if (lost) {
        throw new PlimsollError(
          'LEASE_FENCED_OUT',
          'another run took this stream over while this one stood still',
          {
            hint: 'Nothing was landed by this run after that. Look at plimsoll runs for the other.',
          },
        )
      }
    },
    async release() {
      clearInterval(renewal)
      await engine.catalog.releaseLease(answer.lease)
    },
  }
}
