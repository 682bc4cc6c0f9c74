import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { canonicalJsonText } from './json-text.ts'

test('two texts of one value have one canonical text (F23)', () => {
  const texts = [
    '{"b":1,"a":[1.0,2e2,null,-0.0,1e400],"c":"\\u00e9"}',
    '{"c": "é", "b": 1.00, "a": [1, 200, null, 0, 1E+400]}',
  ]
  for (const text of texts) {
    const canonical = canonicalJsonText(text)
    expect(canonical).toBe('{"a":[1e0,2e2,null,0,1e400],"b":1e0,"c":"é"}')
    expect(createHash('md5').update(canonical!).digest('hex')).toBe('cbaf9267bdafe61f7e89ad0768ec9ed8')
  }
})

test.each([
  ['1.0', '1e0'],
  ['200', '2e2'],
  ['0', '0'],
  ['-0.0e7', '0'],
  ['-120.50', '-1205e-1'],
  ['0.00012', '12e-5'],
  ['12345678901234567890.10', '123456789012345678901e-1'],
  [' [ ] ', '[]'],
  ['{}', '{}'],
  ['{"a":1,"a":2}', '{"a":2e0}'],
  ['{"\\u0061":1,"a":[true,false]}', '{"a":[true,false]}'],
  ['"a\\/b\\n"', '"a/b\\n"'],
  // By bytes: U+FFFD stands before U+1F600, whose first UTF-16 unit is the smaller one.
  ['{"\u{1F600}":1,"\uFFFD":2}', '{"\uFFFD":2e0,"\u{1F600}":1e0}'],
])('%s', (text, canonical) => {
  expect(canonicalJsonText(text)).toBe(canonical)
})

test.each(['', '{', '[1,]', '{"a" 1}', '01', '1.', 'nul', '"a', '1 2', '{"a":1}}', '"\\x"', "{'a':1}"])(
  'no JSON: %s',
  (text) => {
    expect(canonicalJsonText(text)).toBeUndefined()
  },
)
