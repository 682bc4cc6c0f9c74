import { expect, test } from 'vitest'
import type { ConnectorContext } from '../../sources/source.ts'
import { loadConnector } from './connectors.ts'

const context: ConnectorContext = {
  reach: () => undefined,
  memory: { load: async () => undefined, save: async () => undefined },
  note: () => undefined,
}

/** Passwords that nobody encoded; every part of one must stay unsaid. */
const HOSTILE = [
  'postgres://odd:s3cr@t/w%zz?#@db.example:5432/shop',
  'postgres://odd:s3cr/t@db.example:5432/shop',
  'postgres://odd:s3cr?t@db.example:5432/shop',
  'postgres://odd:s3cr#t@db.example:5432/shop',
  'postgres://odd:s3cr@t/w@db.example/shop',
  'postgres://db.example/shop?user=odd&password=s3cr@t',
  'postgres://db.example/shop?password=s3cr#t',
  'postgres://odd:s3cr%zzt@db.example:notaport/shop',
  'postgres://db.example/shop?password=s3cr&sslrootcert=/no/such/file.crt',
]

const ROLES = {
  source: async (url: string) => (await loadConnector('sources', url)).open({ url, context }),
  replica: async (url: string) =>
    (await loadConnector('sources', url)).open({ url: 'postgres://h/d', replicaUrl: url, context }),
  destination: async (url: string) => (await loadConnector('destinations', url)).open({ url, context }),
}

test.each(Object.entries(ROLES).flatMap(([role, open]) => HOSTILE.map((url) => [role, url, open] as const)))(
  'as %s, %s is refused and nothing of it is shown',
  async (_, url, open) => {
    const error = await open(url).then(
      () => undefined,
      (thrown: unknown) => thrown as Error & { hint: string; context: unknown },
    )
    expect(error).toMatchObject({
      code: 'CONFIG_INVALID',
      hint: expect.stringMatching(/percent|sslrootcert/),
    })
    const shown = [error!.message, error!.hint, JSON.stringify(error!.context), String(error!.cause)].join(
      ' ',
    )
    for (const part of ['s3cr', 't/w', 'zz', 'odd:', 'db.example']) expect(shown).not.toContain(part)
  },
)

test('a missing sslrootcert is named', async () => {
  const url = 'postgres://h/d?sslmode=verify-full&sslrootcert=/no/such/file.crt'
  for (const open of Object.values(ROLES)) {
    await expect(open(url)).rejects.toThrow('sslrootcert: there is no file /no/such/file.crt')
  }
})

test('a password that is percent-encoded, or holds an @ alone, is taken', async () => {
  for (const url of [
    'postgres://odd:s3cr%40t%2Fw%23@h/d',
    'postgres://odd:s3@cr@h/d',
    'postgres://u@/d?host=/run',
  ]) {
    for (const open of Object.values(ROLES)) await (await open(url)).close()
  }
})
