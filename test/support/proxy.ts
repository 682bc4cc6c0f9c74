import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a proxy does to the next COMMIT that passes it. */
export type CommitFate = 'lost before' | 'lost after'

/** A door in front of a server: it can lead elsewhere, stop passing anything on, or lose a COMMIT. */
export interface Proxy {
  readonly port: number
  /** A URL with the proxy's address in it. */
  through(url: string): string
  /** New connections go there; open ones are closed. */
  leadTo(port: number): void
  /** Passes nothing on any more, in either direction, and closes nothing: as a cut cable. */
  cut(): void
  /** The same, once so many more bytes have passed. */
  cutAfter(byteSize: number): void
  isCut(): boolean
  heal(): void
  /** The COMMIT is lost with its connection: before the server sees it, or when it has answered. Only the next one. */
  loseCommit(fate: CommitFate): void
  /** What has passed since the start, in bytes. */
  passedByteSize(): number
  commitsLost(): number
  close(): Promise<void>
}

const COMMIT = /COMMIT\0/

/** Opens a door to a port of this machine; it closes when the test ends. */
export async function startProxy(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let target = port
  let isCut = false
  let fate: CommitFate | undefined
  let byteSize = 0
  let lost = 0
  let cutAt = Number.POSITIVE_INFINITY
  const count = (size: number) => {
    byteSize += size
    if (byteSize >= cutAt) isCut = true
  }
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const pair = [client, upstream]
    const end = () => {
      for (const socket of pair) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    let answerIsLost = false
    for (const socket of pair) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        if (!isCut) end()
      })
    }
    client.on('data', (bytes) => {
      if (isCut) return
      if (fate !== undefined && COMMIT.test(bytes.toString('latin1'))) {
        const isBefore = fate === 'lost before'
        fate = undefined
        lost++
        if (isBefore) return end()
        answerIsLost = true
      }
      count(bytes.length)
      if (!upstream.write(bytes)) {
        client.pause()
        upstream.once('drain', () => client.resume())
      }
    })
    upstream.on('data', (bytes) => {
      if (isCut) return
      if (answerIsLost) return end()
      count(bytes.length)
      if (!client.write(bytes)) {
        upstream.pause()
        client.once('drain', () => upstream.resume())
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = (server.address() as { port: number }).port
  const dropAll = () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const proxy: Proxy = {
    port: own,
    through: (url) => {
      const there = new URL(url)
      there.hostname = '127.0.0.1'
      there.port = String(own)
      return there.href
    },
    leadTo: (other) => {
      target = other
      dropAll()
    },
    cut: () => {
      isCut = true
    },
    cutAfter: (more) => {
      cutAt = byteSize + more
    },
    isCut: () => isCut,
    heal: () => {
      isCut = false
      cutAt = Number.POSITIVE_INFINITY
      dropAll()
    },
    loseCommit: (what) => {
      fate = what
    },
    passedByteSize: () => byteSize,
    commitsLost: () => lost,
    close: async () => {
      dropAll()
      if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  onTestFinished(() => proxy.close())
  return proxy
}
