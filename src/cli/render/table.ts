import { visibleWidth } from './colour.ts'

/** Rows in columns under a head, each as wide as its widest cell; numbers to the right when `right` says so. */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const widths = head.map((cell, i) =>
    Math.max(...[cell, ...rows.map((row) => row[i] ?? '')].map(visibleWidth)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => {
        const space = ' '.repeat(Math.max(0, widths[i]! - visibleWidth(cell)))
        return right.includes(i) ? space + cell : cell + space
      })
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line)].join('\n')
}

/** `label  text`, labels of one width, further lines under the first. */
export function renderFields(fields: readonly (readonly [string, string])[], indent = ''): string {
  const width = Math.max(0, ...fields.map(([label]) => visibleWidth(label)))
  const under = `\n${indent}${' '.repeat(width + 2)}`
  return fields
    .map(([label, text]) =>
      `${indent}${label}${' '.repeat(width - visibleWidth(label))}  ${text.replaceAll('\n', under)}`.trimEnd(),
    )
    .join('\n')
}
