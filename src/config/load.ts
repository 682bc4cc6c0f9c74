import { readFileSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { PlimsollError } from '../kernel/errors.ts'
import type { Environment } from './interpolate.ts'
import { parseConfig } from './parse.ts'
import type { PipelineConfig } from './pipeline-config.ts'

export const CONFIG_FILE = 'plimsoll.yaml'

/** Reads and checks a configuration file. Throws CONFIG_INVALID, also when there is none. */
export function loadConfig(path: string, environment: Environment = process.env): PipelineConfig {
  const file = resolve(path)
  const shown = relative(process.cwd(), file) || path
  return parseConfig(read(file, shown), configOrigin(file, shown), environment)
}

/** Where a file stands, and the name of a pipeline that does not say one: its folder's. */
export function configOrigin(file: string, shown: string) {
  const folder = dirname(file)
  return { file: shown, folder, defaultName: basename(folder).replaceAll(/[^\w.-]+/g, '-') || 'pipeline' }
}

function read(file: string, shown: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw new PlimsollError(
      'CONFIG_INVALID',
      `${shown}: ${missing ? 'there is no such file' : 'cannot be read'}`,
      {
        hint: 'plimsoll init SOURCE DESTINATION writes one; --config names another.',
        context: { file },
        cause,
      },
    )
  }
}
