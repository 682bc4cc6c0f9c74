import type { ClientConfig } from 'pg'
import pg from 'pg'
import { PlimsollError } from '../../../kernel/errors.ts'
import { checkServerUrl } from '../../server-url.ts'

/** How long a server may take to accept a connection. */
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_DELAY_MS = 10_000

/** Where a server is, without its password, and the driver's settings to reach it. */
export interface Address {
  /** `host:port/database`, for messages. */
  readonly place: string
  /** In the order to be tried: encrypted first where encryption is preferred but not demanded. */
  readonly attempts: readonly ClientConfig[]
}

/**
 * Reads a PostgreSQL URL as psql does: `sslmode` has libpq's meaning, and without one encryption is preferred, except
 * towards this machine. Throws CONFIG_INVALID, never showing the URL.
 */
export function parseAddress(asGiven: string): Address {
  checkServerUrl(asGiven)
  // libpq allows a port without a host; the driver does not.
  const url = asGiven.replace(/(\/\/|@)(:\d+\/)/, '$1localhost$2')
  const mode = /[?&]sslmode=([\w-]+)/.exec(url)?.[1]
  const base = withoutMode(url)
  const place = placeOf(url.replace(/sslmode=[^&]*&?/, ''))
  if (mode !== undefined && mode !== 'prefer' && mode !== 'allow') {
    const separator = url.includes('?') ? '&' : '?'
    return { place, attempts: [config(`${url}${separator}uselibpqcompat=true`)] }
  }
  const plain = config(base, false)
  if (mode === undefined && isLocal(place)) return { place, attempts: [plain] }
  return { place, attempts: [config(base, { rejectUnauthorized: false }), plain] }
}

function withoutMode(url: string): string {
  return url.replace(/([?&])sslmode=(prefer|allow)(&|$)/, (_, before: string, _mode, after: string) =>
    after === '&' ? before : '',
  )
}

function config(connectionString: string, ssl?: ClientConfig['ssl']): ClientConfig {
  return {
    connectionString,
    ...(ssl === undefined ? {} : { ssl }),
    application_name: 'plimsoll',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    types: { getTypeParser: () => (value: unknown) => value },
  }
}

function placeOf(url: string): string {
  try {
    const { host, port, database } = new pg.Client({ connectionString: url, ssl: false })
    return `${host}:${port}/${database ?? ''}`
  } catch (cause) {
    throw new PlimsollError('CONFIG_INVALID', 'the URL of the PostgreSQL source cannot be read', {
      hint: 'postgres://user:password@host:5432/database; percent-encode special characters in the password.',
      context: { reason: cause instanceof Error && 'code' in cause ? String(cause.code) : 'syntax' },
    })
  }
}

function isLocal(place: string): boolean {
  return /^(\/|localhost:|127\.|::1:)/.test(place)
}
