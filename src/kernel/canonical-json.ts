import { assert } from './assert.ts'

/**
 * JSON with exactly one text for each value, so that it can be hashed and compared (spec E72): keys in code unit order,
 * no spaces, numbers as ECMAScript prints them, absent for `undefined`. Refuses, with InvariantError, whatever JSON would
 * change on the way: bigint and integers beyond 2^53 (exact numbers travel as text, spec E2), NaN, infinities, dates,
 * class instances, functions, holes in arrays, lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '$')
}

function write(value: unknown, path: string): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return writeText(value, path)
  if (typeof value === 'number') return writeNumber(value, path)
  assert(typeof value === 'object', `no canonical JSON for ${typeof value} at ${path}`)
  if (Array.isArray(value)) {
    return `[${Array.from(value, (element, i) => write(element, `${path}[${i}]`)).join(',')}]`
  }
  const prototype = Object.getPrototypeOf(value)
  assert(prototype === Object.prototype || prototype === null, `no canonical JSON for an instance at ${path}`)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${writeText(key, path)}:${write(member, `${path}.${key}`)}`).join(',')}}`
}

function writeText(text: string, path: string): string {
  assert(!LONE_SURROGATE.test(text), `a lone surrogate at ${path}`)
  return JSON.stringify(text)
}

function writeNumber(value: number, path: string): string {
  assert(Number.isFinite(value), `no canonical JSON for ${value} at ${path}`)
  assert(!Number.isInteger(value) || Number.isSafeInteger(value), `an inexact integer at ${path}`)
  return JSON.stringify(value)
}

const LONE_SURROGATE = /\p{Surrogate}/u
