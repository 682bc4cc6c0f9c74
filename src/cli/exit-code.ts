import type { StreamResult } from '../extract/index.ts'
import { type ErrorKind, PlimsollError } from '../kernel/errors.ts'

const BY_KIND: Readonly<Record<ErrorKind, number>> = {
  internal: 1,
  usage: 2,
  data: 3,
  source: 4,
  destination: 5,
  busy: 6,
}
const SOME_FAILED = 7

/** The exit code of a failure (DESIGN.md, Errors); 1 for a defect of ours. */
export function exitCodeOf(error: unknown): number {
  return error instanceof PlimsollError ? BY_KIND[error.kind] : 1
}

/** 0 when no stream failed, 7 when some did, the first failure's code when all did. */
export function exitCodeOfResults(results: readonly Pick<StreamResult, 'error'>[]): number {
  const failed = results.filter((result) => result.error !== undefined)
  if (failed.length === 0) return 0
  return failed.length < results.length ? SOME_FAILED : exitCodeOf(failed[0]!.error)
}

/** Of a check: found something outranks could not look; 0 only when all was looked at and nothing found (spec A1). */
export function checkExitCode(answer: {
  readonly streams: readonly { readonly counts: Readonly<Record<string, number>> }[]
  readonly notLooked: readonly { readonly side: 'source' | 'destination' }[]
}): number {
  if (answer.streams.some(({ counts }) => (counts.findings ?? 0) > 0)) return BY_KIND.data
  const sides = answer.notLooked.map(({ side }) => side)
  if (sides.length === 0) return 0
  return sides.includes('source') ? BY_KIND.source : BY_KIND.destination
}

/** Of a review: 3 when a row breaks or has no bound, else as a check (spec A46). */
export function reviewExitCode(answer: {
  readonly streams: readonly { readonly breaking: readonly string[] }[]
  readonly notLooked: readonly { readonly side: 'source' | 'destination' }[]
}): number {
  const streams = answer.streams.map(({ breaking }) => ({ counts: { findings: breaking.length } }))
  return checkExitCode({ streams, notLooked: answer.notLooked })
}
