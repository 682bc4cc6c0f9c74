const REFERENCE = /\$(?:\$\{|\{([^}]*)\})/g
const NAME_AND_DEFAULT = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s

export type Environment = Readonly<Record<string, string | undefined>>

export type Interpolated =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unset'; readonly name: string }
  | { readonly kind: 'malformed'; readonly reference: string }

/**
 * Replaces `${NAME}` and `${NAME:-default}` by the environment's values; `$${` stays `${`. An empty variable counts as
 * unset. The result is one text value: it cannot bring in structure.
 */
export function interpolate(text: string, environment: Environment): Interpolated {
  let fault: Interpolated | undefined
  const result = text.replaceAll(REFERENCE, (whole: string, reference: string | undefined) => {
    if (reference === undefined) return '${'
    const match = NAME_AND_DEFAULT.exec(reference)
    if (!match) {
      fault ??= { kind: 'malformed', reference: whole }
      return ''
    }
    const value = environment[match[1]!] || match[2]
    if (value === undefined) fault ??= { kind: 'unset', name: match[1]! }
    return value ?? ''
  })
  return fault ?? { kind: 'text', text: result }
}
