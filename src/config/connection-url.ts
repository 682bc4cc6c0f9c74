import { resolve } from 'node:path'

/** Schemes whose connector opens a file. */
const FILE_SCHEMES = new Set(['sqlite', 'sqlite3', 'duckdb'])
const SCHEME = /^([a-z][a-z0-9+.-]*):/i
/** Greedy up to the last `@`: a password may hold any letter unescaped, and hiding too much does no harm. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/[^:@/?]*):(.*)@/is
const SECRET_PARAMETER = /([?&](?:password|sslpassword|passfile|secret|token)=)([^&]*)/gi
const HIDDEN = '***'

/** `postgres` of `postgres://…`, lower case; undefined without a scheme. A Windows drive is no scheme. */
export function schemeOf(url: string): string | undefined {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase()
  return scheme !== undefined && scheme.length > 1 ? scheme : undefined
}

/** The URL as it may be printed and stored: no password in it. */
export function redactUrl(url: string): string {
  return url
    .replace(USER_INFO, (_, before: string) => `${before}:${HIDDEN}@`)
    .replaceAll(SECRET_PARAMETER, (_, name: string) => `${name}${HIDDEN}`)
}

/** True when redactUrl hides something: the URL has to be given again to be used. */
export function holdsSecret(url: string): boolean {
  return redactUrl(url) !== url
}

/** Every form in which the secrets of a URL could turn up in somebody else's message. */
export function secretsOf(url: string): readonly string[] {
  const found = [USER_INFO.exec(url)?.[2], ...[...url.matchAll(SECRET_PARAMETER)].map((match) => match[2])]
  const raw = found.filter((secret): secret is string => secret !== undefined && secret !== '')
  return [...new Set(raw.flatMap((secret) => [secret, decoded(secret)]))].filter((text) => text !== HIDDEN)
}

/** A URL whose password is a reference to the environment, for a file that goes into git. */
export function withPasswordFrom(url: string, variable: string): string {
  return url
    .replace(USER_INFO, (_, before: string) => `${before}:\${${variable}}@`)
    .replaceAll(SECRET_PARAMETER, (_, name: string) => `${name}\${${variable}}`)
}

/**
 * `sqlite:shop.db` as `sqlite:///folder/shop.db`: file URLs are relative to where they were written. One that names a host
 * is left to its connector to refuse.
 */
export function resolveFileUrl(url: string, folder: string): string {
  const path = filePathOf(url)
  return path === undefined || NAMES_A_HOST.test(url) ? url : withFilePath(url, resolve(folder, path))
}

/** The file behind a URL, as it was written, when it names one. */
export function filePathOf(url: string): string | undefined {
  const scheme = schemeOf(url)
  if (scheme === undefined || !FILE_SCHEMES.has(scheme)) return undefined
  const path = url.slice(scheme.length + 1).split('?')[0] ?? ''
  return path === '' || path === ':memory:' ? undefined : decoded(path.replace(/^\/\/(?=\/)/, ''))
}

/** A file URL with another, absolute, path; its options stay. */
export function withFilePath(url: string, path: string): string {
  const [, ...query] = url.split('?')
  const encoded = encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent)
  return [`${schemeOf(url)}://${encoded}`, ...query].join('?')
}

const NAMES_A_HOST = /^[a-z0-9+.-]+:\/\/[^/]/i

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
