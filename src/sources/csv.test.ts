import { describe, expect, test } from 'vitest'
import { csvField, hexBytes } from './csv.ts'

describe('csvField', () => {
  test.each([
    ['', '""'],
    ['a', 'a'],
    [' a ', ' a '],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['"', '""""'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['\\.', '"\\."'],
    ['\\N', '\\N'],
    ["it's", "it's"],
    ['\u2028é', '\u2028é'],
  ])('%j is %j', (text, field) => expect(csvField(text)).toBe(field))

  test('bytes', () => expect(hexBytes(Buffer.from([0, 255, 10]))).toBe('\\x00ff0a'))
})
