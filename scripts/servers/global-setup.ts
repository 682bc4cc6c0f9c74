import type { TestProject } from 'vitest/node'
import { installedMajors, type PostgresServer, startPostgres } from './postgres.ts'
import { sweepRunFolders } from './run-folder.ts'

/** What a test needs to know of a running server: `inject('postgres')`. */
export interface ProvidedPostgres {
  which: 'system' | 'embedded'
  major: number
  version: string
  url: string
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: ProvidedPostgres[]
  }
}

/** Each project loads this file anew, so what they share stands on the process. */
interface Shared {
  servers: Promise<PostgresServer[]>
  userCount: number
}
const KEY = Symbol.for('plimsoll.test-servers')
const holder = globalThis as { [KEY]?: Shared }

/** Starts the servers when the first project that needs them runs; the last one to end stops them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  holder[KEY] ??= { servers: startAll(), userCount: 0 }
  const shared = holder[KEY]
  shared.userCount++
  const servers = await shared.servers
  project.provide(
    'postgres',
    servers.map(({ which, major, version, url }) => ({ which, major, version, url })),
  )
  return async () => {
    shared.userCount--
    if (shared.userCount > 0) return
    delete holder[KEY]
    await Promise.all(servers.map((server) => server.dispose()))
    sweepRunFolders()
  }
}

function startAll(): Promise<PostgresServer[]> {
  return Promise.all(installedMajors().map(({ which }) => startPostgres({ which })))
}
