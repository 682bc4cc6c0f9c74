import type { Catalog } from '../../catalog/catalog.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { OpenTransactions, Source } from '../../sources/source.ts'
import { type WriterLook, writersOf } from './open-looks.ts'
import { keepLook, samplerScope } from './sampler-log.ts'

export interface SamplerOptions {
  readonly catalog: Catalog
  readonly source: Pick<Source, 'identity' | 'openTransactions'>
  readonly samplerMs: number
}

/** Looks at who has a transaction open, now and then (assurance A19, A36). */
export interface Sampler {
  /** One look, or the one that is just being taken; undefined where a source has no list of them. */
  look(): Promise<OpenTransactions | undefined>
  /** One look, unless the last is younger than `samplerMs`. */
  lookIfOld(): Promise<void>
  /** Looks taken in this process after the look with that number, and the number of the last one; at most an hour's. */
  since(number: number): { readonly looks: readonly WriterLook[]; readonly last: number }
  /** Goes on looking every `samplerMs` until stopped. A look that fails is a gap and nothing else. */
  start(): void
  stop(): Promise<void>
}

const REMEMBERED = 400

export function createSampler({ catalog, source, samplerMs }: SamplerOptions): Sampler {
  const recent: WriterLook[] = []
  let taken = 0
  let before: OpenTransactions | undefined
  let scope: string | undefined
  let running: Promise<OpenTransactions | undefined> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let lastMs = Number.NEGATIVE_INFINITY

  const take = async (): Promise<OpenTransactions | undefined> => {
    const look = await source.openTransactions?.()
    lastMs = performance.now()
    if (!look) return undefined
    scope ??= samplerScope(await source.identity())
    if (look.complete) {
      recent.push(writersOf(look, before))
      taken++
      if (recent.length > REMEMBERED) recent.shift()
    }
    before = look.complete ? look : undefined
    await keepLook(catalog, scope, look, samplerMs)
    return look
  }

  const look = (): Promise<OpenTransactions | undefined> => {
    running ??= take().finally(() => {
      running = undefined
    })
    return running
  }

  const goOn = (): void => {
    if (stopped) return
    timer = setTimeout(() => {
      look()
        .catch((error: unknown) => {
          if (!(error instanceof PlimsollError)) throw error
        })
        .then(goOn)
    }, samplerMs).unref()
  }

  return {
    look,
    async lookIfOld() {
      if (performance.now() - lastMs >= samplerMs) await look()
    },
    since: (number) => ({ looks: recent.slice(Math.max(0, recent.length - (taken - number))), last: taken }),
    start: goOn,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running?.catch(() => undefined)
    },
  }
}
