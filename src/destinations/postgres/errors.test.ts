import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../kernel/assert.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import { destinationError, fromSource, isAboutARow, lostConnection } from './errors.ts'

const server = (code: string, more = {}) => Object.assign(new Error('words of the server'), { code, ...more })

describe('errors of the destination', () => {
  test.each([
    ['53100', 'DESTINATION_DISK_FULL'],
    ['53300', 'DESTINATION_UNAVAILABLE'],
    ['57P01', 'DESTINATION_UNAVAILABLE'],
    ['08006', 'DESTINATION_UNAVAILABLE'],
    ['ECONNRESET', 'DESTINATION_UNAVAILABLE'],
    ['EPIPE', 'DESTINATION_UNAVAILABLE'],
    ['28P01', 'DESTINATION_AUTH_FAILED'],
    ['42501', 'DESTINATION_AUTH_FAILED'],
    ['22P02', 'VALUE_NOT_REPRESENTABLE'],
    ['23514', 'DESTINATION_REFUSED_ROW'],
    ['54000', 'DESTINATION_REFUSED_ROW'],
    ['P0001', 'DESTINATION_REFUSED_ROW'],
    ['40001', 'DESTINATION_FAILED'],
    ['55P03', 'DESTINATION_FAILED'],
    ['XX000', 'DESTINATION_FAILED'],
  ])('%s is %s', (code, expected) => {
    const error = destinationError(server(code)) as PlimsollError
    expect(error.code).toBe(expected)
    expect(error.hint).toBeTruthy()
  })

  test('what is not of the server passes unchanged', () => {
    const others = [
      new InvariantError('x'),
      new PlimsollError('USAGE', 'x'),
      new Error('x'),
      new TypeError('x'),
    ]
    for (const error of [...others, fromSource(server('57014'))]) expect(destinationError(error)).toBe(error)
  })

  test('a whole row is never repeated', () => {
    const check = destinationError(server('23514', { detail: 'Failing row contains (secret)' }))
    expect(JSON.stringify((check as PlimsollError).context)).not.toContain('secret')
  })

  test('which errors leave a COMMIT in doubt, and which are about a row', () => {
    expect(lostConnection(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(lostConnection(server('40001'))).toBe(false)
    expect(isAboutARow(server('22003'))).toBe(true)
    expect(isAboutARow(server('53100'))).toBe(false)
  })
})
