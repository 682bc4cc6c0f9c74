import type { Command } from 'commander'
import { redactUrl } from '../config/connection-url.ts'
import { configJsonSchema } from '../config/json-schema.ts'
import { CONFIG_FILE, loadConfig } from '../config/load.ts'
import { act, hideSecrets } from './action.ts'
import { toStreamSettings } from './pipeline/stream-settings.ts'
import { toJson } from './render/error.ts'
import { plural } from './render/quantity.ts'

/** `plimsoll config`: look at a configuration file alone, or print the schema of all of them. */
export function registerConfig(program: Command): void {
  const config = program.command('config').description('check the configuration, or print its schema')
  const check = config
    .command('check [file]')
    .description('find every fault of a configuration file; asks no server')
    .option('--config <file>', 'the configuration (default: plimsoll.yaml)')
  act<{ readonly config?: string }>(check, async (terminal, options, [file]) => {
    const found = loadConfig(file ?? options.config ?? CONFIG_FILE)
    hideSecrets(terminal, [found])
    const streams = found.tables.map((table) => toStreamSettings(found, table).stream)
    terminal.say(
      `${terminal.colour.green('✓')} ${found.file}: ${plural(streams.length, 'table')}: ${streams.join(', ')}`,
    )
    const { source, destination } = found
    return {
      json: {
        pipeline: found.name,
        source: redactUrl(source.url),
        destination: redactUrl(destination.url),
        tables: streams,
      },
    }
  })
  const schema = config.command('schema').description('print the JSON schema of plimsoll.yaml')
  act(schema, async (terminal) => {
    terminal.data(toJson(configJsonSchema(), 2))
    return { json: { schema: configJsonSchema() } }
  })
}
