import { describe, expect, test } from 'vitest'
import { readClock, templateOfValue } from './clock-text.ts'

describe('readClock', () => {
  test.each([
    ['CURRENT_TIMESTAMP', { kind: 'text', template: 'YYYY-MM-DD HH:MM:SS', local: false }],
    ['CURRENT_DATE', { kind: 'text', template: 'YYYY-MM-DD', local: false }],
    ["datetime('now')", { kind: 'text', template: 'YYYY-MM-DD HH:MM:SS', local: false }],
    ["datetime('now', 'subsec')", { kind: 'text', template: 'YYYY-MM-DD HH:MM:SS.SSS', local: false }],
    ["datetime('now', 'localtime')", { kind: 'text', template: 'YYYY-MM-DD HH:MM:SS', local: true }],
    [
      "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
      { kind: 'text', template: 'YYYY-MM-DDTHH:MM:SS.SSSZ', local: false },
    ],
    ["strftime('%F %T', 'now')", { kind: 'text', template: 'YYYY-MM-DD HH:MM:SS', local: false }],
    ["strftime('%d.%m.%Y', 'now')", { kind: 'text', template: undefined, local: false }],
    ['unixepoch()', { kind: 'epoch', unit: 's', local: false }],
    ["strftime('%s', 'now')", { kind: 'epoch', unit: 's', local: false }],
    ["CAST(unixepoch('now', 'subsec') * 1000 AS INTEGER)", { kind: 'epoch', unit: 'ms', local: false }],
    ['unixepoch() * 1000000', { kind: 'epoch', unit: 'us', local: false }],
    ["'2020-01-01'", undefined],
    ['0', undefined],
    ['', undefined],
  ])('%s', (expression, clock) => expect(readClock(expression)).toEqual(clock))
})

describe('templateOfValue', () => {
  test.each([
    ['2026-01-05', 'YYYY-MM-DD'],
    ['2026-01-05 10:00', 'YYYY-MM-DD HH:MM'],
    ['2026-01-05 10:00:00', 'YYYY-MM-DD HH:MM:SS'],
    ['2026-01-05T10:00:00Z', 'YYYY-MM-DDTHH:MM:SSZ'],
    ['2026-01-05T10:00:00.123Z', 'YYYY-MM-DDTHH:MM:SS.SSSZ'],
    ['2026-01-05 10:00:00.123456', 'YYYY-MM-DD HH:MM:SS.SSSSSS'],
    ['2026-01-05 10:00:00.1234567', undefined],
    ['2026-01-05T10:00:00+02:00', undefined],
    ['5.1.2026', undefined],
    ['2026-1-5', undefined],
    ['', undefined],
  ])('%s', (value, template) => expect(templateOfValue(value)).toBe(template))
})
