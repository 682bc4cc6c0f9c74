import type { z } from 'zod'
import { nearest } from './nearest.ts'
import type { Problem } from './problem.ts'
import { knownKeys } from './schema.ts'

type Issue = z.core.$ZodIssue

/** The schema's complaints as faults of the file: each with its line, its path and, for unknown settings, the nearest known. */
export function problemsOf(
  issues: readonly Issue[],
  value: unknown,
  lineOf: (path: readonly PropertyKey[]) => number | undefined,
): Problem[] {
  return issues.flatMap((issue) => explain(issue, [], value, lineOf))
}

function explain(
  issue: Issue,
  base: readonly PropertyKey[],
  value: unknown,
  lineOf: (path: readonly PropertyKey[]) => number | undefined,
): Problem[] {
  const path = [...base, ...issue.path]
  const fault = (at: readonly PropertyKey[], text: string, remedy?: string): Problem => ({
    code: 'CONFIG_INVALID',
    line: lineOf(at),
    path: at.map(String).join('.'),
    text,
    remedy,
  })
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => fault([...path, key], 'is no setting', meant(key, path)))
  }
  if (issue.code === 'invalid_union') {
    const branch = fittingBranch(issue.errors, at(value, path))
    if (branch) return branch.flatMap((inner) => explain(inner, path, value, lineOf))
    const unknown = shapesOf(issue.errors).map((issues) => new Set(unknownKeys(issues)))
    const nowhere = [...(unknown[0] ?? [])].filter((key) => unknown.every((keys) => keys.has(key)))
    if (nowhere.length > 0)
      return nowhere.map((key) => fault([...path, key], 'is no setting', meant(key, path)))
  }
  if (path.at(-1) === 'mode' && at(value, path) === 'append') return [appendRefused(fault(path, ''))]
  if (TYPE_ISSUES.has(issue.code) && at(value, path) === undefined) return [fault(path, 'is missing')]
  return [fault(path, say(issue, at(value, path)))]
}

function meant(key: string, path: readonly PropertyKey[]): string | undefined {
  const known = knownKeys(path)
  const word = nearest(key, known)
  if (word !== undefined) return `Did you mean ${word}?`
  return known.length > 0 && known.length <= 12 ? `Known here: ${known.join(', ')}` : undefined
}

/** Of several allowed shapes the one that the value was meant to have: the one it does not miss at once. */
function fittingBranch(
  branches: readonly (readonly Issue[])[],
  value: unknown,
): readonly Issue[] | undefined {
  const inside = shapesOf(branches)
  if (inside.length < 2) return inside[0]
  if (typeof value !== 'object' || value === null) return undefined
  const keys = new Set(Object.keys(value))
  return inside.find((issues) => unknownKeys(issues).length < keys.size)
}

/** The branches that the value does not miss at once. */
function shapesOf(branches: readonly (readonly Issue[])[]): readonly (readonly Issue[])[] {
  return branches.filter(
    (issues) => !issues.some((issue) => MISSES.has(issue.code) && issue.path.length === 0),
  )
}

const MISSES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value'])

function unknownKeys(issues: readonly Issue[]): string[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  )
}

function say(issue: Issue, value: unknown): string {
  const got =
    value === null
      ? 'nothing'
      : typeof value === 'object'
        ? Array.isArray(value)
          ? 'a list'
          : 'a map'
        : JSON.stringify(value)
  if (/^[a-z]/.test(issue.message)) return `${issue.message}, not ${got}`
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}, not ${got}`
  if (issue.code === 'invalid_type') return `must be ${TYPES[issue.expected] ?? issue.expected}, not ${got}`
  if (issue.code === 'too_small')
    return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}, not ${got}`
  if (issue.code === 'too_big')
    return `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}, not ${got}`
  return `cannot be ${got}`
}

const TYPE_ISSUES: ReadonlySet<string> = new Set(['invalid_type', 'invalid_union', 'invalid_value'])

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a map',
  record: 'a map',
  array: 'a list',
}

/** Spec E62. */
function appendRefused(fault: Problem): Problem {
  return {
    ...fault,
    code: 'APPEND_WITH_OVERLAP',
    text: 'append would land the rows of every overlap and retry twice',
    remedy:
      'Take upsert, or history to keep every version; appendOnly: true declares a table whose rows never change',
  }
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[part] : undefined,
    value,
  )
}
