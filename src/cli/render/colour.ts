/** Words that stand out on a terminal; the identity elsewhere. */
export interface Colour {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

const wrap = (on: boolean, open: number, close: number) => (text: string) =>
  on && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text

export function createColour(on: boolean): Colour {
  return {
    bold: wrap(on, 1, 22),
    dim: wrap(on, 2, 22),
    red: wrap(on, 31, 39),
    green: wrap(on, 32, 39),
    yellow: wrap(on, 33, 39),
  }
}

export const PLAIN = createColour(false)

/** How many columns a text takes on a terminal: colours take none. */
export function visibleWidth(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a colour is one
  return [...text.replaceAll(/\u001b\[\d+m/g, '')].length
}
