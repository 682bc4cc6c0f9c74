import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { untilStopped } from './program.ts'
import { afterGuard, complaints, openStage } from './stage.ts'

const LONG = process.env.PLIMSOLL_SUITE === 'long'
const server = postgresServers()[0]!
const WIDEN = `alter table public.things disable trigger touch;
  create function wide(seed int) returns text language sql as $$ select string_agg(md5(seed || '/' || n), '') from generate_series(1, 400) n $$;
  update public.things set body = wide(id)`
/** One slice of some MB, so that the cut falls into it; no second attempt, and short limits. */
const SETTINGS = ['sliceRows=100000', 'retries=0', 'queryMaxMs=3000', 'fenceWaitMs=1000'].flatMap((each) => [
  '--set',
  each,
])
const CUT_AFTER_BYTES = 2_000_000
/** `queryMaxMs`, what the driver waits beyond it, and some air for a busy machine. */
const MOST_MS = 150_000

/** The first two say the most; all of them take minutes. */
const CASES = [
  ['source', 4, 'in the middle of the rows'],
  ['destination', 5, 'before the COMMIT'],
  ['destination', 5, 'in the middle of the rows'],
  ['source', 4, 'before the first query of a slice'],
] as const

/** Nothing passes any more, and nobody closes a connection: only a limit on the wait ends it. */
test.each(LONG ? CASES : CASES.slice(0, 2))(
  'the network to the %s is cut: exit %i, %s',
  async (which, code, when) => {
    const [from, to] = [await freshDatabase(server, 'cut source'), await freshDatabase(server, 'cut copy')]
    const proxy = await startProxy(Number(new URL(from).port))
    const through = (url: string, end: string) => (which === end ? proxy.through(url) : url)
    const stage = await openStage(through(from, 'source'), through(to, 'destination'), {
      destination: 'postgres',
      mode: 'upsert',
    })
    try {
      await stage.sql(WIDEN)
      const isInRows = when === 'in the middle of the rows'
      const standAt = {
        'before the COMMIT': 'land.commit_sent',
        'in the middle of the rows': 'fence.recorded',
        'before the first query of a slice': 'fence.recorded',
      }[when]
      const running = stage.start({ standAt }, SETTINGS)
      await untilStopped(running.child.pid!)
      if (isInRows) proxy.cutAfter(CUT_AFTER_BYTES)
      else proxy.cut()
      running.child.kill('SIGCONT')
      const ended = await Promise.race([running.ended, sleep(MOST_MS, undefined, { ref: false })])
      if (!ended) running.child.kill('SIGKILL')
      expect(proxy.isCut()).toBe(true)
      expect(ended, `still waiting after ${MOST_MS} ms`).toBeDefined()
      expect(ended!.code, ended!.errors).toBe(code)
      proxy.heal()
      await sleep(200)
      const direct = { ...stage, sql: (text: string) => query(from, text) }
      expect((await stage.copy({}, ['--set', 'sliceRows=100000'])).code).toBe(0)
      await afterGuard()
      expect((await stage.copy()).code).toBe(0)
      expect(await complaints(direct)).toEqual([])
    } finally {
      await stage.dispose()
    }
  },
)

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}
