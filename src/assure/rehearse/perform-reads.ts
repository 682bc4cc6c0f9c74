import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadReader } from '../../sources/load.ts'
import type { History, Landed } from './history.ts'
import type { Performing } from './perform-load.ts'
import { NAIVE_READERS, type NaiveReader, NOTHING_READ, type ReaderMemory, remember } from './readers.ts'

/** The naive readers at work, each on a session of its own. */
export interface Reading {
  /** Each reads once more, and ends. */
  stop(): Promise<void>
  /** Rejects when one of them cannot go on. */
  readonly failed: Promise<never>
}

export async function startReading({ load, stage, plan, history }: Performing): Promise<Reading> {
  const { periodMs } = plan.head
  const ending = new AbortController()
  const sessions = await Promise.all(NAIVE_READERS.map(() => load.openReader(stage)))
  const beginMs = performance.now()
  const work = NAIVE_READERS.map(async (reader, i) => {
    const once = createReading(reader, sessions[i]!, history)
    while (!ending.signal.aborted) {
      await once()
      const next = Math.floor((performance.now() - beginMs) / periodMs) + 1
      const ms = beginMs + next * periodMs - performance.now()
      await sleep(ms, undefined, { signal: ending.signal }).catch(() => {})
    }
    await once()
  })
  const all = Promise.all(work)
  const failed = new Promise<never>((_, reject) => all.catch(reject))
  failed.catch(() => {})
  return {
    failed,
    stop: async () => {
      ending.abort()
      await Promise.allSettled(work)
      await Promise.all(sessions.map((session) => session.close()))
      await all
    },
  }
}

/** One run after the other of one reader; its memory stays between them. */
function createReading(reader: NaiveReader, session: LoadReader, history: History): () => Promise<void> {
  let memory: ReaderMemory = NOTHING_READ
  const seen = new Set<string>()
  return async () => {
    const asked = await ask(reader, session)
    const landed: Landed[] = []
    let [again, pages] = [0, 0]
    for (;;) {
      const { query, mark } = reader.begin(memory, asked)
      const rows = await session.read(query)
      pages++
      for (const { key, version } of reader.keep?.(memory, rows) ?? rows) {
        const name = `${key}/${version}`
        if (seen.has(name)) again++
        else landed.push([key, version])
        seen.add(name)
      }
      memory = remember(memory, rows, mark)
      if (!reader.pages || rows.length < query.limit!) break
    }
    const markUs = memory.mark === undefined ? null : String(memory.mark)
    history.add({
      kind: 'read',
      reader: reader.id,
      atUs: await session.nowUs(),
      markUs,
      pages,
      again,
      landed,
    })
  }
}

async function ask({ asks }: NaiveReader, session: LoadReader): Promise<bigint | undefined> {
  if (asks === 'nothing') return undefined
  const answer = await (asks === 'clock' ? session.nowUs() : session.newest())
  return answer === undefined ? undefined : BigInt(answer)
}
