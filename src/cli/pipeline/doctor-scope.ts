import { createHash } from 'node:crypto'
import { redactUrl } from '../../config/connection-url.ts'

/** Where the catalog keeps what `doctor` found at a source: pipelines of one source share it. */
export function doctorScope(url: string): string {
  return `doctor:${createHash('sha256').update(redactUrl(url)).digest('hex').slice(0, 16)}`
}
