import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ALARM_OF } from '../../src/assure/audit/sentence.ts'
import { LATENESS_ALARMS } from '../../src/assure/lateness/judge.ts'
import { ALARMS, type AlarmRule } from '../../src/kernel/alarm.ts'
import { commandsIn, refusal } from './commands.ts'

const FOLDER = new URL('../../docs/runbooks/', import.meta.url)
const RULES: readonly (readonly [string, AlarmRule])[] = Object.entries(ALARMS)
const pages = readdirSync(FOLDER).filter((file) => file.endsWith('.md') && file !== 'README.md')
const textOf = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8')

test('what checks raise is in the table', () => {
  const raised = [...Object.values(ALARM_OF), ...LATENESS_ALARMS]
  expect(raised.filter((name) => !Object.hasOwn(ALARMS, name))).toEqual([])
})

test('every alarm has its page, and every page an alarm', () => {
  expect(pages.sort()).toEqual(RULES.map(([name]) => `${name}.md`).sort())
  const index = textOf('README.md')
  expect(RULES.filter(([name]) => !index.includes(`[${name}](${name}.md)`))).toEqual([])
})

describe.each(RULES)('%s', (name, rule) => {
  const text = textOf(`${name}.md`)

  test('its page says condition, level, cost and rule as the table does', () => {
    expect(text).toContain(`# ${name}\n`)
    expect(text).toContain(`**${rule.level === 'page' ? 'Page' : 'Notice'}**`)
    for (const part of [rule.condition, rule.costs, rule.escalates ?? '', `By this alone: ${rule.resolves}.`])
      expect(text).toContain(part)
  })

  test('its commands are accepted as they are written', async () => {
    const commands = [rule.next.replaceAll('{table}', 'public.orders'), ...commandsIn(text)]
    expect(commands.length).toBeGreaterThan(2)
    const refused = await Promise.all(commands.map(refusal))
    expect(refused.filter((each) => each !== undefined)).toEqual([])
  })
})

test('the check refuses what the program refuses', async () => {
  for (const line of [
    'plimsoll repair',
    'plimsoll audit --fully',
    'plimsoll nothing',
    'plimsoll wait --timeout 5',
  ])
    expect(await refusal(line)).toContain(line)
})
