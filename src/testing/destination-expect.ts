import { expect } from 'vitest'
import { InvariantError } from '../kernel/assert.ts'
import { type ErrorCode, PlimsollError } from '../kernel/errors.ts'

/** Awaits a failure of this code and returns it, for looking at context and hint. */
export async function failure(code: ErrorCode, promise: Promise<unknown>): Promise<PlimsollError> {
  const reason = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(reason instanceof PlimsollError)) throw new Error(`expected ${code}`, { cause: reason })
  expect(reason.code, reason.message).toBe(code)
  return reason
}

/** Awaits a broken invariant. */
export async function invariantBreaks(promise: Promise<unknown>): Promise<void> {
  const reason = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(reason instanceof InvariantError)) throw new Error('expected an InvariantError', { cause: reason })
}
