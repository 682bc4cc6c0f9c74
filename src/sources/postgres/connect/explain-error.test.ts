import { expect, test } from 'vitest'
import { InvariantError } from '../../../kernel/assert.ts'
import { explainError } from './explain-error.ts'

const server = (code: string, more = {}) => Object.assign(new Error('said the server'), { code, ...more })

test.each([
  ['28P01', 'SOURCE_AUTH_FAILED'],
  ['28000', 'SOURCE_AUTH_FAILED'],
  ['42P01', 'TABLE_NOT_FOUND'],
  ['42501', 'SOURCE_AUTH_FAILED'],
  ['57014', 'SOURCE_QUERY_TOO_LONG'],
  ['40001', 'SOURCE_SNAPSHOT_LOST'],
  ['57P01', 'SOURCE_SNAPSHOT_LOST'],
  ['08006', 'SOURCE_SNAPSHOT_LOST'],
  ['53300', 'SOURCE_UNAVAILABLE'],
  ['ECONNRESET', 'SOURCE_SNAPSHOT_LOST'],
  ['22012', 'SOURCE_FAILED'],
  ['22021', 'VALUE_NOT_REPRESENTABLE'],
  ['22P05', 'VALUE_NOT_REPRESENTABLE'],
])('%s is %s', (state, code) => {
  expect(explainError(server(state), 'db:5432/shop')).toMatchObject({
    code,
    message: expect.stringContaining('db:5432/shop'),
  })
})

test('while connecting, a lost connection is an unreachable server', () => {
  expect(explainError(server('ECONNREFUSED'), 'db:5432/shop', 'connecting')).toMatchObject({
    code: 'SOURCE_UNAVAILABLE',
  })
  const many = new AggregateError([server('ECONNREFUSED')])
  const both = explainError(Object.assign(many, { code: 'ECONNREFUSED' }), 'db:5432/shop', 'connecting')
  expect(both).toMatchObject({
    code: 'SOURCE_UNAVAILABLE',
    message: expect.stringContaining('said the server'),
  })
})

test('a policy is told from a missing right by the routine, whatever the language', () => {
  expect(explainError(server('42501', { routine: 'check_enable_rls' }), 'x')).toMatchObject({
    code: 'ROWS_HIDDEN_BY_POLICY',
  })
})

test('defects of ours pass unchanged', () => {
  const defect = new InvariantError('never')
  expect(explainError(defect, 'x')).toBe(defect)
})
