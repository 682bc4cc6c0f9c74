import type { Looked } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'

/** A45: what the source's own log could bring back, which is by hand only. */
export function logRetention(archive: Looked<{ readonly mode: string } | undefined>): Check {
  return judge('retention', archive, (found) =>
    found
      ? ok(`The source archives its log (${found.mode}); rows come back from it by hand only.`, {
          archive: found.mode,
        })
      : ok('The source keeps no archive of its log: rows come back from its tables only.', { archive: '' }),
  )
}
