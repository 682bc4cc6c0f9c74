import { PlimsollError } from '../kernel/errors.ts'
import type { Looked } from './diagnosis.ts'

/**
 * A figure, or the expected failure that stood in its way, as a reason (spec A2, A41). A query cut at its limit is one of
 * them. Everything else is thrown.
 */
export async function looked<Figure>(
  queryMaxMs: number,
  work: () => Promise<Figure>,
): Promise<Looked<Figure>> {
  try {
    return { found: await work() }
  } catch (error) {
    if (!(error instanceof PlimsollError)) throw error
    if (error.code !== 'SOURCE_QUERY_TOO_LONG') return { notLooked: error.message, hint: error.hint }
    return {
      notLooked: `the query took longer than ${queryMaxMs} ms`,
      hint: 'Set doctorQueryMax to more, or let the source read from a replica (replicaUrl).',
    }
  }
}
