import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { commandsIn, refusal } from './commands.ts'
import { filesBelow } from './walk.ts'

const README = { path: 'README.md', text: readFileSync('README.md', 'utf8') }
const pages = [...filesBelow(['docs/guides'], /\.md$/), README]

test('there are guides to look at', () => {
  expect(pages.flatMap(({ text }) => commandsIn(text)).length).toBeGreaterThan(10)
})

test.each(pages)('the commands of $path are accepted as they are written', async ({ text }) => {
  const refused = await Promise.all(commandsIn(text).map(refusal))
  expect(refused.filter((each) => each !== undefined)).toEqual([])
})

test.each(pages)('the links of $path lead somewhere', ({ path, text }) => {
  const targets = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1]!)
  const gone = targets.filter((target) => !existsSync(posix.join(posix.dirname(path), target)))
  expect(gone).toEqual([])
})
