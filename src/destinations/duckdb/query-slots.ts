/**
 * DuckDB's Node binding runs each query on libuv's pool for as long as it takes, a landing's queries as long as the source
 * delivers. More than two at once could fill the pool and freeze the process, so the whole process has two slots.
 */
const SLOTS = 2

let free = SLOTS
const waiting: (() => void)[] = []

/** Runs a query when a slot is free. */
export async function withQuerySlot<T>(run: () => Promise<T>): Promise<T> {
  if (free > 0) free--
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await run()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
}
