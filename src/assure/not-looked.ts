import { PlimsollError } from '../kernel/errors.ts'

export type Side = 'source' | 'destination'

/** A stream that could not be looked at is never "equal" (spec A2). */
export class NotLooked extends Error {
  override readonly name = 'NotLooked'
  readonly side: Side

  constructor(side: Side, reason: string) {
    super(reason)
    this.side = side
  }
}

export interface NotLookedAt {
  readonly stream: string
  readonly side: Side
  readonly reason: string
  readonly hint: string | undefined
}

/** What a failed look says of the stream; anything that is no expected failure goes on as it is. */
export function notLooked(stream: string, error: unknown): NotLookedAt {
  if (error instanceof NotLooked) return { stream, side: error.side, reason: error.message, hint: undefined }
  if (!(error instanceof PlimsollError)) throw error
  const side = error.kind === 'destination' ? 'destination' : 'source'
  return { stream, side, reason: error.message, hint: error.hint }
}
