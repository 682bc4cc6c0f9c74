import pg from 'pg'

/** How often a session is looked at. Any byte in either direction means that it lives. */
const LOOK_EACH_MS = 10_000
const PROBE_MAX_MS = 10_000
/** So many questions in a row without an answer, and the server is gone. */
const UNANSWERED_MAX = 2

interface Socket {
  readonly bytesRead: number
  readonly bytesWritten: number
  destroy(): void
}

export const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

/**
 * A merge may be quiet for an hour, and so may a network that passes nothing on any more. While a session is quiet the
 * server is asked on a connection of its own whether it can still be reached; when it cannot, the session is ended, and
 * whoever waits hears of it. Returns how to stop watching.
 */
export function watchQuiet(client: pg.ClientBase, url: string): () => void {
  const socket = socketOf(client)
  let isOver = false
  let [seen, unanswered] = [-1, 0]
  let timer: NodeJS.Timeout | undefined
  const look = async (): Promise<void> => {
    const passed = socket.bytesRead + socket.bytesWritten
    const isQuiet = passed === seen
    seen = passed
    unanswered = !isQuiet || (await answers(url)) ? 0 : unanswered + 1
    if (isOver) return
    if (unanswered < UNANSWERED_MAX) again()
    else socket.destroy()
  }
  const again = () => {
    timer = setTimeout(look, LOOK_EACH_MS)
    timer.unref()
  }
  again()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** A refusal is an answer too: too many connections, a password that changed. */
async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'plimsoll',
    connectionTimeoutMillis: PROBE_MAX_MS,
    query_timeout: PROBE_MAX_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch (error) {
    return /^[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '') && !isSocketCode(error)
  } finally {
    socketOf(client).destroy()
  }
}

const isSocketCode = (error: unknown): boolean => /^E[A-Z]{4}$/.test((error as { code: string }).code)
