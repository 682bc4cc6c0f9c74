import { InvariantError } from '../../kernel/assert.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { Colour } from './colour.ts'

/** A failure for a person: code, message, what to do, facts. A stack only where the fault is ours. */
export function renderError(error: unknown, colour: Colour): string {
  if (!(error instanceof PlimsollError)) return renderDefect(error, colour)
  const lines = [`${colour.red('error')} ${colour.bold(error.code)}: ${error.message}`]
  if (error.hint !== undefined) lines.push(`${colour.green('what to do')}: ${error.hint}`)
  const facts = Object.entries(error.context).filter(([, value]) => value !== undefined && value !== '')
  for (const [name, value] of facts) {
    lines.push(colour.dim(`  ${name}: ${typeof value === 'string' ? value : toJson(value)}`))
  }
  return lines.join('\n')
}

function renderDefect(error: unknown, colour: Colour): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const kind = error instanceof InvariantError ? 'an invariant does not hold' : 'an unexpected failure'
  return [
    `${colour.red('error')} ${colour.bold('INTERNAL')}: ${kind}: this is a defect of plimsoll`,
    stack,
    `${colour.green('what to do')}: nothing was claimed that did not land. Please report this text.`,
  ].join('\n')
}

/** The same as data. */
export function errorToJson(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof PlimsollError) {
    const { code, kind, retry, message, hint, context } = error
    return { code, kind, retry, message, hint: hint ?? null, context: JSON.parse(toJson(context)) }
  }
  const message = error instanceof Error ? error.message : String(error)
  const stack = error instanceof Error ? (error.stack ?? null) : null
  return { code: 'INTERNAL', kind: 'internal', retry: 'never', message, hint: null, context: {}, stack }
}

/** JSON of anything: a bigint as text (spec E2), an error as its message. */
export function toJson(value: unknown, indent?: number): string {
  const replace = (_: string, each: unknown): unknown => {
    if (typeof each === 'bigint') return String(each)
    return each instanceof Error ? each.message : each
  }
  return JSON.stringify(value, replace, indent) ?? 'null'
}
