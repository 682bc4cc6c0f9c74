import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { connectorFolders, loadConnector, withDriver } from './connectors.ts'

test('the folder is the registration', async () => {
  expect(connectorFolders('sources')).toEqual(expect.arrayContaining(['postgres', 'sqlite']))
  expect((await loadConnector('sources', 'postgresql://h/d')).schemes).toContain('postgresql')
  expect((await loadConnector('destinations', 'postgres://h/d')).title).toBe('PostgreSQL')
})

test('an absent driver says how to install it', async () => {
  const require = createRequire(import.meta.url)
  const absent = '@plimsoll-test/driver'
  await expect(withDriver(async () => require(`${absent}/sub`))).rejects.toMatchObject({
    code: 'CONNECTOR_MISSING',
    hint: 'npm install @plimsoll-test/driver, then run this again.',
  })
  const missing = Object.assign(new Error("Cannot find package 'pg' imported from /x/y.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  await expect(withDriver(() => Promise.reject(missing))).rejects.toMatchObject({
    hint: 'npm install pg, then run this again.',
  })
  const own = Object.assign(new Error("Cannot find module '/x/dist/gone.js' imported from /x/y.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  })
  await expect(withDriver(() => Promise.reject(own))).rejects.toBe(own)
})

test('an unknown scheme names the known ones', async () => {
  await expect(loadConnector('sources', 'postgers://h/d')).rejects.toMatchObject({
    code: 'USAGE',
    message: 'postgers is no source that plimsoll knows',
    hint: expect.stringContaining('Did you mean postgres:?'),
  })
  await expect(loadConnector('sources', '/tmp/x')).rejects.toMatchObject({ code: 'USAGE' })
})
