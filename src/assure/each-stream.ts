import type { Engine } from '../extract/engine.ts'
import type { StreamSettings } from '../extract/settings.ts'
import { NotLooked, type NotLookedAt, notLooked } from './not-looked.ts'

export interface CheckAnswer<T> {
  readonly streams: readonly T[]
  readonly notLooked: readonly NotLookedAt[]
}

/** Looks at streams one after the other (spec A5); each ends with an answer or with the reason why not (A2). */
export async function eachStream<T>(
  signal: Engine['signal'],
  streams: readonly StreamSettings[],
  look: (settings: StreamSettings) => Promise<T>,
  done: (answer: T) => void,
): Promise<CheckAnswer<T>> {
  const answers: T[] = []
  const failures: NotLookedAt[] = []
  for (const settings of streams) {
    try {
      if (signal?.aborted) throw new NotLooked('source', 'told to stop before it was looked at')
      const answer = await look(settings)
      answers.push(answer)
      done(answer)
    } catch (error) {
      failures.push(notLooked(settings.stream, error))
    }
  }
  return { streams: answers, notLooked: failures }
}
