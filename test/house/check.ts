import { posix } from 'node:path'
import { BANS, LINE_LIMIT, MEDIAN_LINE_LIMIT, README_LINE_LIMIT, ROOMS, type Room } from './rules.ts'

/** A file's path from the root, with `/`, and its text. */
export interface SourceFile {
  path: string
  text: string
}

/** What a file says of another: `import … from specifier`. */
export interface ImportStatement {
  specifier: string
  typeOnly: boolean
}

const STRING_OR_COMMENT =
  /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
const IMPORT =
  /\b(?:import|export)\b(\s+type\b)?[^'"`;=]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g

/** The text of a file without its comments; strings stay. */
export function withoutComments(text: string): string {
  return text.replaceAll(STRING_OR_COMMENT, '$1')
}

/** Every static and dynamic import, and every re-export, of a file. */
export function importsOf(text: string): ImportStatement[] {
  return [...withoutComments(text).matchAll(IMPORT)].map((match) => ({
    specifier: (match[2] ?? match[3])!,
    typeOnly: match[1] !== undefined,
  }))
}

/** The room a file belongs to. */
export function roomOf(path: string): Room | undefined {
  return ROOMS.find((room) => room.files.test(path))
}

/** The imports of a file that its room does not allow, as sentences. */
export function importFaults({ path, text }: SourceFile): string[] {
  if (isTest(path)) return []
  const room = roomOf(path)
  if (!room) return [`${path} is in no room: add its folder to test/house/rules.ts`]
  return importsOf(text)
    .filter((statement) => !allowed(room, path, statement))
    .map(({ specifier }) => `${path} (${room.name}) may not import ${specifier}`)
}

function allowed(room: Room, path: string, { specifier, typeOnly }: ImportStatement): boolean {
  if (specifier.startsWith('node:')) return room.node === 'yes' || (room.node === 'types' && typeOnly)
  if (!specifier.startsWith('.')) return room.packages
  const target = posix.join(posix.dirname(path), specifier)
  const other = roomOf(target)
  if (room.imports.includes('*')) return true
  if (!other || isTest(target)) return false
  if (other === room) return !room.apart || connectorOf(path) === connectorOf(target)
  return room.imports.includes(other.name)
}

/** `src/sources/postgres/read.ts` → `src/sources/postgres` */
function connectorOf(path: string): string {
  return path.split('/').slice(0, 3).join('/')
}

/** The words in a file that the house bans there, as sentences. */
export function bannedWords({ path, text }: SourceFile): string[] {
  if (isTest(path)) return []
  const code = withoutComments(text)
  return BANS.filter(({ where, word }) => where(path) && word.test(code)).map(({ what }) => `${path} ${what}`)
}

/** Files that are too long, and a median that is too high. */
export function sizeFaults(files: readonly SourceFile[]): string[] {
  const lengths = files.map(({ path, text }) => ({ path, lineCount: countLines(text) }))
  const faults = lengths
    .filter(({ lineCount }) => lineCount > LINE_LIMIT)
    .map(({ path, lineCount }) => `${path} has ${lineCount} lines, more than ${LINE_LIMIT}`)
  const sorted = lengths.map(({ lineCount }) => lineCount).sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0
  if (median >= MEDIAN_LINE_LIMIT) faults.push(`Half of the files have ${median} lines or more`)
  return faults
}

/** Folders below src that do not say in ten lines what lives in them. */
export function readmeFaults(folders: readonly string[], readmes: readonly SourceFile[]): string[] {
  const lineCounts = new Map(readmes.map(({ path, text }) => [posix.dirname(path), countLines(text)]))
  return folders.flatMap((folder) => {
    const lineCount = lineCounts.get(folder)
    if (lineCount === undefined) return [`${folder} has no README.md`]
    return lineCount > README_LINE_LIMIT
      ? [`${folder}/README.md has ${lineCount} lines, more than ${README_LINE_LIMIT}`]
      : []
  })
}

function countLines(text: string): number {
  return text.trimEnd().split('\n').length
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}
