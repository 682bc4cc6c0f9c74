import { stringify } from 'yaml'
import { withPasswordFrom } from '../../config/connection-url.ts'
import type { TableFinding } from '../pipeline/inspect-table.ts'
import { formatBytes, plural } from './quantity.ts'

interface ConfigFile {
  readonly source: string
  readonly destination: string
  readonly findings: readonly TableFinding[]
}

const SOURCE_PASSWORD = 'PLIMSOLL_SOURCE_PASSWORD'
const DESTINATION_PASSWORD = 'PLIMSOLL_DESTINATION_PASSWORD'

/** A `plimsoll.yaml` with a comment for each choice and each doubt. Passwords become references to the environment. */
export function renderConfig({ source, destination, findings }: ConfigFile): string {
  const ready = findings.filter((each) => each.choice !== undefined)
  const leftOut = findings.filter((each) => each.choice === undefined)
  const tables = ready.length === 0 ? 'tables: {}\n' : `tables:\n${ready.map(readyTable).join('\n')}`
  return [
    '# What plimsoll copies. plimsoll plan shows what a run would do; plimsoll config schema prints every setting.',
    'source:',
    `  url: ${scalar(withPasswordFrom(source, SOURCE_PASSWORD))}`,
    'destination:',
    `  url: ${scalar(withPasswordFrom(destination, DESTINATION_PASSWORD))}`,
    '',
    tables,
    ...(leftOut.length === 0 ? [] : ['# Left out:', ...leftOut.map(leftOutTable), '']),
  ].join('\n')
}

function readyTable({ name, summary, choice, doubts }: TableFinding): string {
  const lines = [
    `  ${scalar(name)}: # ${sizeOf(summary)}`,
    ...choice!.said.map((said) => `    # ${oneLine(said)}`),
    ...doubts.map((doubt) => `    # DOUBT: ${oneLine(doubt)}`),
    `    position: ${scalar(choice!.position)}`,
  ]
  const { key } = choice!
  if (key.length === 1) lines.push(`    key: ${scalar(key[0]!)}`)
  if (key.length > 1) lines.push(`    key: [${key.map(scalar).join(', ')}]`)
  return `${lines.join('\n')}\n`
}

const leftOutTable = ({ name, summary, obstacle }: TableFinding): string =>
  `#   ${name} (${sizeOf(summary)}): ${oneLine(obstacle ?? '')}`

function sizeOf({ kind, rowCountEstimate, byteSize }: TableFinding['summary']): string {
  const rows =
    rowCountEstimate === undefined ? 'rows not counted' : `about ${plural(rowCountEstimate, 'row')}`
  const parts = [
    ...(kind === 'table' ? [] : [kind]),
    rows,
    ...(byteSize === undefined ? [] : [formatBytes(byteSize)]),
  ]
  return parts.join(', ')
}

/** A text as YAML writes it, quoted where it must be. */
const scalar = (text: string): string => stringify(text, { lineWidth: 0 }).trimEnd()

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')
