import { existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { CONFIG_FILE, configOrigin } from '../config/load.ts'
import { configFromValue } from '../config/parse.ts'
import type { PipelineConfig } from '../config/pipeline-config.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { Source } from '../sources/source.ts'
import { act, hideSecrets } from './action.ts'
import { openSource } from './engine.ts'
import { loadConnector } from './pipeline/connectors.ts'
import { inspectTable, type TableFinding } from './pipeline/inspect-table.ts'
import { renderConfig } from './render/config-file.ts'
import { plural } from './render/quantity.ts'

interface InitOptions {
  readonly output: string
  readonly force?: boolean
}

/** `plimsoll init`: looks at the live database and writes a commented configuration. */
export function registerInit(program: Command): void {
  const command = program
    .command('init <source> <destination>')
    .description('look at a database and write a plimsoll.yaml for it')
    .option('--output <file>', 'where to write it; - for stdout', CONFIG_FILE)
    .option('--force', 'replace a file that is there')
  act<InitOptions>(command, async (terminal, options, [source = '', destination = '']) => {
    const { output } = options
    if (output !== '-' && existsSync(output) && !options.force) {
      throw new PlimsollError('USAGE', `${output} is there already`, {
        hint: 'Name another with --output, or replace it with --force.',
      })
    }
    const config = probeConfig(source, destination)
    hideSecrets(terminal, [config])
    await loadConnector('destinations', destination)
    const findings = await inspectSource(config)
    if (findings.length === 0) {
      throw new PlimsollError('TABLE_NOT_FOUND', 'the source shows no table', {
        hint: 'The role may lack the right to see them: GRANT USAGE ON SCHEMA, GRANT SELECT ON TABLE.',
      })
    }
    const text = renderConfig({ source, destination, findings })
    if (output === '-') terminal.data(text.trimEnd())
    else writeFileSync(output, text)
    const ready = findings.filter((each) => each.choice !== undefined)
    terminal.say(summary(findings, output))
    return {
      json: {
        file: output === '-' ? null : output,
        ...(output === '-' ? { text } : {}),
        tables: ready.map((each) => each.name),
        left_out: findings
          .filter((each) => !each.choice)
          .map((each) => ({ table: each.name, why: each.obstacle ?? null })),
      },
    }
  })
}

/** A configuration without tables of its own, to open the source by. */
function probeConfig(source: string, destination: string): PipelineConfig {
  const raw = { source: { url: source }, destination: { url: destination }, tables: ['any'] }
  return configFromValue(raw, { ...configOrigin(resolve(CONFIG_FILE), 'command line') })
}

async function inspectSource(config: PipelineConfig): Promise<readonly TableFinding[]> {
  const memory = { load: async () => undefined, save: async () => {} }
  const source: Source = await openSource(config, () => ({ reach: () => {}, memory, note: () => {} }))
  try {
    const findings: TableFinding[] = []
    for (const summary of await source.list()) findings.push(await inspectTable(config, source, summary))
    return findings
  } finally {
    await source.close()
  }
}

function summary(findings: readonly TableFinding[], output: string): string {
  const ready = findings.filter((each) => each.choice !== undefined)
  const doubts = ready.filter((each) => each.doubts.length > 0)
  const leftOut = findings.length - ready.length
  const parts = [plural(ready.length, 'table')]
  if (doubts.length > 0) parts.push(`${doubts.length} with a doubt to settle`)
  if (leftOut > 0) parts.push(`${leftOut} left out, with the reason`)
  const where = output === '-' ? 'found' : `wrote ${output}`
  const next =
    ready.length > 0
      ? 'Read the comments, then: plimsoll plan'
      : 'Read the reasons at its end, and write at least one table under tables: before plimsoll plan'
  return `${where}: ${parts.join(', ')}\n${next}`
}
