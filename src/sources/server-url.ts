import { readFileSync } from 'node:fs'
import { PlimsollError } from '../kernel/errors.ts'

const HOW = 'Write scheme://user:password@host:port/database'
const FILES = ['sslrootcert', 'sslcert', 'sslkey']

/**
 * Refuses the URL of a server that could be read in two ways: with an unescaped `/`, `?` or `#` in a password, the rest
 * of it would be taken for host or database, and printed as such. Shows nothing of the URL. Throws CONFIG_INVALID.
 */
export function checkServerUrl(url: string): void {
  const behindScheme = url.replace(/^[a-z][a-z0-9+.-]*:(\/\/)?/i, '')
  const behindAuthority = behindScheme.replace(/^[^/?#]*/, '')
  if (/[#@]/.test(behindAuthority)) {
    throw new PlimsollError('CONFIG_INVALID', 'this URL holds a # or an @ behind its host', {
      hint: `${HOW}, and percent-encode special characters: %23 for #, %40 for @, %2F for /, %3F for ?, %25 for %.`,
    })
  }
  checkFiles(behindAuthority)
}

function checkFiles(behindAuthority: string): void {
  const parameters = new URLSearchParams(behindAuthority.split('?')[1] ?? '')
  for (const name of FILES) {
    const file = parameters.get(name)
    if (file === null) continue
    try {
      readFileSync(file)
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable'
      const what = code === 'ENOENT' ? 'there is no file' : `${code}: cannot read`
      throw new PlimsollError('CONFIG_INVALID', `${name}: ${what} ${file}`, {
        hint: `Correct ${name} in the URL; a relative path begins in the working directory.`,
      })
    }
  }
}
