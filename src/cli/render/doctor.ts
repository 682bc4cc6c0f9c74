import type { Check, Severity } from '../../assure/doctor/check.ts'
import type { ExaminedSource } from '../../assure/doctor/examine-source.ts'
import type { ExaminedTable } from '../../assure/doctor/examine-table.ts'
import type { Change } from '../../assure/doctor/keep-result.ts'
import type { Colour } from './colour.ts'
import { plural } from './quantity.ts'
import { renderFields } from './table.ts'

/** One table: what was found, worst first, and how much was fine. */
export function renderExamined({ table, position, key, checks }: ExaminedTable, colour: Colour): string {
  const order = position === undefined ? '' : colour.dim(`  by ${position}, key ${key.join(', ') || 'none'}`)
  return `${mark(checks, colour)} ${colour.bold(table)}${order}\n${renderChecks(checks, colour)}`
}

/** The source as a whole. */
export function renderSource({ address, identity, checks }: ExaminedSource, colour: Colour): string {
  const who = colour.dim(`  ${identity.engine} ${identity.version}`)
  return `${mark(checks, colour)} ${colour.bold(address)}${who}\n${renderChecks(checks, colour)}`
}

const ORDER: readonly Severity[] = ['blocker', 'warning', 'could_not_look', 'note']

function renderChecks(checks: readonly Check[], colour: Colour): string {
  const shown = ORDER.flatMap((severity) => checks.filter((check) => check.severity === severity))
  const fine = checks.filter(({ severity }) => severity === 'ok')
  const fields = shown.map((check): [string, string] => [labelOf(check, colour), textOf(check, colour)])
  const rest = fine.length === 0 ? [] : [['ok', fine.map(({ name }) => name).join(' ')] as [string, string]]
  return renderFields([...fields, ...rest], '  ')
}

const WORDS: Readonly<Record<Severity, string>> = {
  blocker: 'blocker',
  warning: 'warning',
  could_not_look: 'unseen',
  note: 'note',
  ok: 'ok',
}

function labelOf({ name, severity, accepted }: Check, colour: Colour): string {
  const word = accepted ? 'accepted' : WORDS[severity]
  const paint = accepted
    ? colour.dim
    : severity === 'blocker'
      ? colour.red
      : severity === 'note'
        ? colour.dim
        : colour.yellow
  return `${paint(word)} ${name}`
}

function textOf({ sentence, remedy, accepted, severity }: Check, colour: Colour): string {
  if (accepted) return `${sentence}\n${colour.dim(`accepted ${accepted.date}: ${accepted.reason}`)}`
  const text = severity === 'could_not_look' ? `could not look: ${sentence}` : sentence
  return remedy === undefined ? text : `${text}\n${colour.green(remedy)}`
}

function mark(checks: readonly Check[], colour: Colour): string {
  const counting = checks.filter(({ accepted }) => !accepted)
  const has = (severity: Severity): boolean => counting.some((check) => check.severity === severity)
  if (has('blocker')) return colour.red('✗')
  if (has('warning')) return colour.yellow('!')
  return has('could_not_look') ? colour.yellow('?') : colour.green('✓')
}

/** What is not as it was the last time. */
export function renderChanges(changes: readonly Change[]): string {
  const lines = changes.map(
    ({ table, check, before, now }) => `  ${table ?? 'source'} ${check}: ${WORDS[before]} → ${WORDS[now]}`,
  )
  return [`since the last look: ${plural(changes.length, 'change')}`, ...lines].join('\n')
}
