/** Looks at the database, shared by all tables and never two at once. */
export interface Sampler<L> {
  /** A look not older than this that will do, else a new one. */
  latest(maxAgeMs: number, willDo?: (look: L) => boolean): Promise<L>
  /** A look that began later than this one. */
  after(look: L): Promise<L>
}

/**
 * One sample of a database serves all its tables (spec E17). That a look is some moments old does no harm, as long as
 * every reader opens its snapshot after it: what the look has not seen began after it.
 */
export function createSampler<L extends { readonly begunMs: number }>(take: () => Promise<L>): Sampler<L> {
  let last: L | undefined
  let running: Promise<L> | undefined

  const next = (): Promise<L> => {
    running ??= take()
      .then((look) => {
        last = look
        return look
      })
      .finally(() => {
        running = undefined
      })
    return running
  }

  const latest = async (maxAgeMs: number, willDo: (look: L) => boolean = () => true): Promise<L> => {
    if (last && performance.now() - last.begunMs <= maxAgeMs && willDo(last)) return last
    const shared = await next()
    return willDo(shared) ? shared : next()
  }
  const after = (look: L): Promise<L> =>
    latest(Number.POSITIVE_INFINITY, ({ begunMs }) => begunMs > look.begunMs)
  return { latest, after }
}
