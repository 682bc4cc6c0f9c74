import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SourceFile } from './check.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = new Set(['node_modules', 'dist'])

/** The files below some folders of the repository whose names match, in order of their paths. */
export function filesBelow(folders: readonly string[], name: RegExp): SourceFile[] {
  return folders
    .flatMap(pathsBelow)
    .filter((path) => name.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/** The folders below one that hold files, or folders that do. */
export function foldersBelow(folder: string): string[] {
  const parents = pathsBelow(folder).flatMap((path) => ancestors(path, folder))
  return [...new Set(parents)].sort()
}

function ancestors(path: string, top: string): string[] {
  const folder = posix.dirname(path)
  return folder === top ? [] : [folder, ...ancestors(folder, top)]
}

function pathsBelow(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (LEFT_OUT.has(entry.name)) return []
    return entry.isDirectory() ? pathsBelow(path) : [path]
  })
}
