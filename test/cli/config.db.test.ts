// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a reference to the environment is what is tested
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createShop, workspace } from './support/program.ts'

test('init looks at the database and writes a file that runs', async () => {
  const { run, path } = workspace()
  createShop(path('shop.db'), 20)
  const init = await run('init', 'sqlite:shop.db', 'duckdb:shop.duckdb')
  expect(init.code, init.stderr).toBe(0)
  expect(init.stderr).toContain('wrote plimsoll.yaml: 1 table, 1 with a doubt to settle, 2 left out')
  const text = readFileSync(path('plimsoll.yaml'), 'utf8')
  expect(text).toContain('main.orders: # about 20 rows')
  expect(text).toContain('# DOUBT: updated_at: it is not known who sets it')
  expect(text).toContain('position: updated_at\n    key: order_id')
  expect(text).toContain('#   main.nokey')
  expect((await run('init', 'sqlite:shop.db', 'duckdb:shop.duckdb')).code).toBe(2)
  const check = await run('config', 'check', '--json')
  expect(check.json).toMatchObject({ ok: true, tables: ['main.orders'] })
  const ran = await run('run', '--json')
  expect(ran.code, ran.stderr).toBe(0)
  expect(ran.json.results[0].counts.inserted).toBe(20)
})

test('init puts no password into the file', async () => {
  const { run, path } = workspace()
  createShop(path('shop.db'), 1)
  const { code, stdout } = await run(
    'init',
    'sqlite:shop.db',
    'postgres://u:hidden-word@h/d',
    '--output',
    '-',
  )
  expect(code).toBe(0)
  expect(stdout).not.toContain('hidden-word')
  expect(stdout).toContain('PLIMSOLL_DESTINATION_PASSWORD')
  expect(readdirSync(path('.'))).toEqual(['shop.db'])
})

test('config check names file, line and remedy; config schema is JSON', async () => {
  const { run, runWith, path } = workspace()
  writeFileSync(
    path('plimsoll.yaml'),
    'source: { url: sqlite:a.db }\ndestination:\n  url: ${OUT}\ntables:\n  orders: { postion: x }\n',
  )
  const unset = await run('config', 'check')
  expect(unset.code).toBe(2)
  expect(unset.stderr).toContain('plimsoll.yaml:3: names the environment variable OUT, which is not set')
  const { code, stderr } = await runWith({ OUT: 'duckdb:o' }, 'config', 'check')
  expect(code).toBe(2)
  expect(stderr).toContain('plimsoll.yaml:5: tables.orders.postion is no setting. Did you mean position?')
  const schema = await run('config', 'schema')
  expect(JSON.parse(schema.stdout).required).toContain('tables')
  expect((await run('config', 'check', 'gone.yaml')).stderr).toContain('gone.yaml: there is no such file')
})

test('plan shows what a run would do and changes nothing', async () => {
  const { run, path } = workspace()
  createShop(path('shop.db'), 20)
  writeFileSync(
    path('plimsoll.yaml'),
    'source: { url: sqlite:shop.db }\ndestination: { url: duckdb:shop.duckdb }\ntables:\n  orders:\n    position: { column: updated_at, stampedBy: database }\n  nokey: { position: updated_at }\n',
  )
  const before = readdirSync(path('.')).sort()
  const plan = await run('plan', 'orders')
  expect(plan.code, plan.stderr).toBe(0)
  for (const words of [
    'none yet: the first run loads everything',
    'S1:',
    'proven',
    'range ',
    'expected',
    'SELECT',
  ]) {
    expect(plan.stdout).toContain(words)
  }
  const all = await run('plan', '--json')
  expect(all.code).toBe(7)
  expect(all.json.plans[1].obstacles[0]).toMatchObject({ code: 'KEY_MISSING' })
  expect(readdirSync(path('.')).sort()).toEqual(before)
  expect((await run('run', 'orders')).code).toBe(0)
  const catalog = readFileSync(path('.plimsoll/catalog.sqlite'))
  const later = await run('plan', 'orders', '--json')
  expect(later.json.plans[0]).toMatchObject({ stream: 'main.orders', claim: { generation: 1 } })
  expect(readFileSync(path('.plimsoll/catalog.sqlite')).equals(catalog)).toBe(true)
})

test('help, version and completion load no driver and need no configuration', async () => {
  const { run, path } = workspace()
  expect(await run('--version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  })
  const help = await run('--help')
  expect(help.code).toBe(0)
  expect((await run('-h')).stdout).toBe(help.stdout)
  for (const command of [
    'copy',
    'init',
    'plan',
    'run',
    'follow',
    'status',
    'runs',
    'trace',
    'backfill',
    'state',
    'config',
    'completion',
  ]) {
    expect(help.stdout).toContain(`  ${command} `)
  }
  expect((await run('copy', '--help')).stdout).toContain('--position <column>')
  for (const shell of ['bash', 'zsh', 'fish']) {
    expect((await run('completion', shell)).stdout).toContain('rewind')
  }
  expect((await run('completion', 'tcsh')).code).toBe(2)
  expect((await run()).code).toBe(2)
  expect(existsSync(path('.plimsoll'))).toBe(false)
})
