import { expect, test } from 'vitest'
import { readmeFaults, sizeFaults } from './check.ts'
import { filesBelow, foldersBelow } from './walk.ts'

const FOLDERS = ['src', 'test', 'scripts', 'bench', 'examples', 'bin', 'dashboard']

test('files are small', () => {
  const written = filesBelow(FOLDERS, /\.(ts|tsx|mjs|cjs)$/).filter(
    ({ path }) => !path.includes('.generated.'),
  )
  expect(sizeFaults(written)).toEqual([])
})

test('every room says what lives in it', () => {
  expect(readmeFaults(foldersBelow('src'), filesBelow(['src'], /\/README\.md$/))).toEqual([])
})

test('the check finds a long file and a high median', () => {
  const file = (path: string, lineCount: number) => ({ path, text: 'x\n'.repeat(lineCount) })
  expect(sizeFaults([file('a.ts', 400), file('b.ts', 149), file('c.ts', 10)])).toEqual([])
  expect(sizeFaults([file('a.ts', 401), file('b.ts', 1), file('c.ts', 1)])).toHaveLength(1)
  expect(sizeFaults([file('a.ts', 150)])).toHaveLength(1)
})

test('the check finds a missing and a long README', () => {
  const readme = (lineCount: number) => [{ path: 'src/kernel/README.md', text: 'x\n'.repeat(lineCount) }]
  expect(readmeFaults(['src/kernel'], readme(10))).toEqual([])
  expect(readmeFaults(['src/kernel'], readme(11))).toHaveLength(1)
  expect(readmeFaults(['src/kernel', 'src/extract'], readme(1))).toHaveLength(1)
})
