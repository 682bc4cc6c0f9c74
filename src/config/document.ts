// biome-ignore-all lint/suspicious/noTemplateCurlyInString: messages show how a reference is written
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml'
import { type Environment, interpolate } from './interpolate.ts'
import type { Problem } from './problem.ts'

/** A YAML file with its lines: what it says, and where it says it. */
export interface ConfigDocument {
  readonly value: unknown
  readonly problems: readonly Problem[]
  /** The line of the setting at a path, or of the deepest part of it that exists. */
  lineOf(path: readonly PropertyKey[]): number | undefined
}

/** Reads YAML 1.2, refuses duplicate keys, and replaces `${NAME}` in values by the environment. */
export function readDocument(text: string, environment: Environment): ConfigDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true })
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const problems: Problem[] = document.errors.map((error) => ({
    code: 'CONFIG_INVALID',
    line: lineAt(error.pos[0]),
    path: '',
    text: `is not YAML: ${error.message}`,
    remedy: /\{[^}\n]*\$\{/.test(lineText(text, lineAt(error.pos[0])))
      ? 'Within { } a reference needs quotes: "${NAME}"'
      : undefined,
  }))
  if (problems.length === 0) problems.push(...interpolateAll(document, environment, lineAt))
  return {
    value: problems.length === 0 ? document.toJS() : undefined,
    problems,
    lineOf: (path) => lineOf(document, path, lineAt),
  }
}

const lineText = (text: string, line: number): string => text.split('\n')[line - 1] ?? ''

function interpolateAll(
  document: Document,
  environment: Environment,
  lineAt: (offset: number) => number,
): Problem[] {
  const problems: Problem[] = []
  visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return
      const result = interpolate(node.value, environment)
      if (result.kind === 'text') {
        node.value = retyped(node, result.text)
        return
      }
      const fault =
        result.kind === 'unset'
          ? {
              text: `names the environment variable ${result.name}, which is not set`,
              remedy: `Set it, or give a default: \${${result.name}:-…}`,
            }
          : { text: `holds ${result.reference}, which names no variable`, remedy: 'Write $${ for a plain ${' }
      problems.push({ code: 'CONFIG_INVALID', line: lineAt(node.range?.[0] ?? 0), path: '', ...fault })
    },
  })
  return problems
}

/** An unquoted value that is one reference alone may stand for a number or a yes or no. */
function retyped(node: Scalar, text: string): unknown {
  if (node.type !== 'PLAIN' || !/^\$\{[^}]*\}$/.test(String(node.value))) return text
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  return text === 'true' ? true : text === 'false' ? false : text
}

function lineOf(
  document: Document,
  path: readonly PropertyKey[],
  lineAt: (offset: number) => number,
): number | undefined {
  let node: unknown = document.contents
  let offset = isNode(node) ? node.range?.[0] : undefined
  for (const part of path) {
    const found = child(node, part)
    if (found === undefined) break
    node = found.value
    offset = found.offset ?? offset
  }
  return offset === undefined ? undefined : lineAt(offset)
}

function child(node: unknown, part: PropertyKey): { value: unknown; offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const value = node.items[Number(part)]
    return value === undefined ? undefined : { value, offset: isNode(value) ? value.range?.[0] : undefined }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(
    (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === part,
  )
  if (!pair) return undefined
  return { value: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined }
}
