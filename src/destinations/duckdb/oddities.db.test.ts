import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createTestStore } from '../../../test/support/duckdb-store.ts'
import type { LogicalType } from '../../kernel/types.ts'
import { failure } from '../../testing/destination-expect.ts'
import { at, csvOf, rawStream, type TestRow } from '../../testing/destination-rows.ts'
import { inScene, type Scene, testContext } from '../../testing/destination-setup.ts'
import { column, ordersTable, sorted, startStream } from '../../testing/destination-stream.ts'
import { connector } from './index.ts'

const T = '2026-03-01 10:00:00'
const MEGABYTE = 1024 * 1024
const setup = { connector, createStore: createTestStore }
const odd = (name: string, run: (scene: Scene) => Promise<void>) =>
  test(name, () => inScene(setup, name, run))

describe('the CSV reader', () => {
  odd('rows that look like rows inside quotes stay values, over many pieces', async (scene) => {
    const stream = await startStream(scene, await scene.open(), ordersTable(scene))
    const fake = `\n77,${T},fake\n78,${T},"fake"\n`
    const notes = [fake.repeat(400), 'x', '",\n"\r\n1,"",\n'.repeat(300), '\ufeff', '"'.repeat(2000)]
    const rows = Array.from({ length: 4000 }, (_, i) => [`${i}`, T, notes[i % notes.length]!])
    await stream.land(rows, { known: 'nothing_there' })
    expect(JSON.stringify(await stream.rows()) === JSON.stringify(sorted(rows))).toBe(true)
  })

  odd('more escaped text than the memory limit holds', async (scene) => {
    const context = testContext(() => {})
    const destination = await connector.open({
      url: scene.store.url,
      context,
      memoryLimitBytes: 64 * MEGABYTE,
    })
    const stream = await startStream(scene, destination, ordersTable(scene))
    const row = (id: number): TestRow => [`${id}`, T, `{"id": ${id}, "text": "${'some words '.repeat(40)}"}`]
    const chunk = (k: number) => Buffer.from(csvOf(Array.from({ length: 2000 }, (_, i) => row(k * 2000 + i))))
    const chunks = 120
    await stream.land([], { known: 'nothing_there', stream: chunkStream(chunk, chunks, chunks * 2000) })
    await destination.close()
    expect(await countRows(scene)).toBe(chunks * 2000)
  })

  odd('a byte order mark at the beginning of a first column is kept', async (scene) => {
    const columns = [column('k', { name: 'text' }, false), column('at', { name: 'timestamptz' })]
    const stream = await startStream(scene, await scene.open(), ordersTable(scene, { columns, key: ['k'] }))
    const rows = ['\ufeffa', 'a', '\ufeff,b'].map((key) => [key, T])
    await stream.land(rows)
    expect(await stream.rows()).toEqual(sorted(rows))
  })

  for (const name of ['rowid', 'RowId', '_plimsoll_seq', '_plimsoll_row', '_plimsoll_differs']) {
    odd(`a column called ${name} would hide one that landings need: refused by name`, async (scene) => {
      const columns = [
        column('id', { name: 'int8' }, false),
        column('at', { name: 'timestamptz' }),
        column(name, { name: 'int8' }),
      ]
      const table = ordersTable(scene, { columns, key: ['id'] })
      const destination = await scene.open()
      const error = await failure('DESTINATION_TABLE_MISMATCH', destination.prepare(table, undefined))
      expect(error.message).toContain(`column ${name},`)
    })
  }

  odd('a table of one nullable column', async (scene) => {
    const columns = [column('at', { name: 'timestamptz' })]
    const table = ordersTable(scene, { columns, key: [], appendOnly: true })
    const stream = await startStream(scene, await scene.open(), table)
    const rows = [[T], [T], ['2026-03-01 11:00:00']]
    await stream.land(rows)
    expect(await stream.rows()).toEqual(sorted(rows))
  })

  odd('a row longer than the memory limit allows is named with the setting', async (scene) => {
    const context = testContext(() => {})
    const destination = await connector.open({
      url: scene.store.url,
      context,
      memoryLimitBytes: 64 * MEGABYTE,
    })
    const stream = await startStream(scene, destination, ordersTable(scene))
    const error = await failure('VALUE_NOT_REPRESENTABLE', stream.land([['1', T, 'x'.repeat(7 * MEGABYTE)]]))
    expect(error.hint).toContain('destination.memoryLimit')
    await stream.land([['1', T, 'x'.repeat(4 * MEGABYTE)]])
    await destination.close()
  })

  odd('text that is not UTF-8 is named', async (scene) => {
    const stream = await startStream(scene, await scene.open(), ordersTable(scene))
    const bytes = Buffer.concat([Buffer.from(`4711,${T},`), Buffer.from([0xff, 0xfe]), Buffer.from('\n')])
    const error = await failure('VALUE_NOT_REPRESENTABLE', stream.land([], { stream: rawStream(bytes, 1) }))
    expect(error.message).toContain('4711')
  })
})

describe('values', () => {
  const cases: readonly (readonly [LogicalType, string])[] = [
    [{ name: 'int2' }, '40000'],
    [{ name: 'int8' }, '9223372036854775808'],
    [{ name: 'numeric', precision: 10, scale: 2 }, '1.005'],
    [{ name: 'numeric', precision: 10, scale: 2 }, '1e-5'],
    [{ name: 'numeric', precision: 10, scale: 2 }, '123456789.00'],
    [{ name: 'date' }, '2023-02-29'],
    [{ name: 'time' }, '24:00:00.000001'],
    [{ name: 'timestamptz' }, '294247-01-10 04:00:54.775807'],
    [{ name: 'interval' }, '2147483648 0 0'],
    [{ name: 'interval' }, '1 mon'],
    [{ name: 'bytes' }, 'abc'],
    [{ name: 'uuid' }, 'a0eebc99'],
    [{ name: 'json' }, 'not "json",\nreally'],
    [{ name: 'json' }, '"\\ud800"'],
    [{ name: 'list', of: { name: 'int4' } }, '["1","x"]'],
    [{ name: 'list', of: { name: 'numeric', precision: 4, scale: 1 } }, '["1.55"]'],
  ]
  for (const [type, text] of cases) {
    odd(`${type.name} refuses ${JSON.stringify(text)}, naming column, key and text`, async (scene) => {
      const columns = [
        column('v', type),
        column('at', { name: 'timestamptz' }),
        column('a', { name: 'text' }, false),
        column('b', { name: 'int8' }, false),
        column('long', { name: 'text' }),
      ]
      const stream = await startStream(
        scene,
        await scene.open(),
        ordersTable(scene, { columns, key: ['b', 'a'] }),
      )
      for (const known of ['nothing_there', 'anything'] as const) {
        const rows: TestRow[] = [
          [null, T, 'k', '1', null],
          [text, T, 'k,"2"', '2', 'long '.repeat(10_000)],
        ]
        const error = await failure('VALUE_NOT_REPRESENTABLE', stream.land(rows, { known }))
        expect(error.context).toEqual({ column: 'v', key: ['2', 'k,"2"'], text })
        expect(error.hint).toContain('columns: { v: text }')
      }
      expect(await stream.rows()).toEqual([])
    })
  }

  odd('-0 and 0, one month and thirty days are changes; NaN is none', async (scene) => {
    const columns = [
      column('id', { name: 'int8' }, false),
      column('at', { name: 'timestamptz' }),
      column('f', { name: 'float8' }),
      column('i', { name: 'interval' }),
    ]
    const stream = await startStream(scene, await scene.open(), ordersTable(scene, { columns }))
    await stream.land([
      ['1', T, '0', '1 0 0'],
      ['2', T, 'NaN', '0 0 0'],
    ])
    const receipt = await stream.land([
      ['1', T, '-0', '1 0 0'],
      ['2', T, 'NaN', '0 0 0'],
    ])
    expect([receipt.updated, receipt.unchanged]).toEqual([1, 1])
    expect((await stream.land([['1', T, '-0', '0 30 0']])).updated).toBe(1)
    expect((await stream.land([['1', T, '-0', '0 30 0']])).updated).toBe(0)
  })

  odd('the numeric scales that only PostgreSQL knows', async (scene) => {
    const columns = [
      column('id', { name: 'int8' }, false),
      column('at', { name: 'timestamptz' }),
      column('small', { name: 'numeric', precision: 2, scale: 4 }),
      column('big', { name: 'numeric', precision: 2, scale: -3 }),
    ]
    const stream = await startStream(scene, await scene.open(), ordersTable(scene, { columns }))
    const rows = [['1', T, '0.0099', '99000']]
    await stream.land(rows)
    expect(await stream.rows()).toEqual(rows)
  })
})

describe('constraints of a user', () => {
  for (const [name, constraint, key] of [
    ['a CHECK', `CHECK (note <> 'bad')`, /"106"/],
    ['a unique column', 'UNIQUE (note)', /DESTINATION|twice|note/],
  ] as const) {
    odd(`${name} refuses by name`, async (scene) => {
      const definition = 'id BIGINT, "at" TIMESTAMP WITH TIME ZONE, note VARCHAR'
      await scene.store.execute!(`CREATE TABLE orders (${definition}, ${constraint})`)
      const stream = await startStream(scene, await scene.open(), ordersTable(scene))
      const rows = Array.from({ length: 10 }, (_, i) => [
        `10${i}`,
        T,
        i > 5 ? (i === 6 ? 'bad' : 'twice') : `${i}`,
      ])
      const error = await failure('DESTINATION_REFUSED_ROW', stream.land(rows, { known: 'nothing_there' }))
      expect(error.message).toMatch(key)
      expect(await stream.rows()).toEqual([])
    })
  }
})

describe('the file', () => {
  odd('a file that another process has open is named with its pid', async (scene) => {
    const path = scene.store.url.slice('duckdb://'.length)
    const api = createRequire(import.meta.url).resolve('@duckdb/node-api')
    const script = `const { DuckDBInstance } = require(${JSON.stringify(api)})
      DuckDBInstance.create(${JSON.stringify(path)}).then((i) => { globalThis.kept = i; console.log('open'); setInterval(() => {}, 1000) })`
    const other = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(other.stdout!, 'data')
    try {
      const error = await failure('DESTINATION_BUSY', scene.open())
      expect(error.message).toContain(`pid ${other.pid}`)
    } finally {
      other.kill('SIGKILL')
      await once(other, 'exit')
    }
    expect((await (await scene.open()).identity()).engine).toBe('duckdb')
  })

  test('another kind of file, a folder, a missing directory are told apart from a lock', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-test-'))
    const context = testContext(() => {})
    await writeFile(join(folder, 'text.duckdb'), 'this is no database\n'.repeat(1000))
    await mkdir(join(folder, 'folder.duckdb'))
    for (const name of ['text.duckdb', 'folder.duckdb', 'missing/x.duckdb']) {
      const error = await failure(
        'DESTINATION_UNREADABLE',
        connector.open({ url: `duckdb://${folder}/${name}`, context }),
      )
      expect(error.hint).not.toBe('')
    }
    expect((await stat(join(folder, 'text.duckdb'))).size).toBe(20_000)
    await rm(folder, { recursive: true })
  })

  odd('a schema called like the file', async (scene) => {
    const target = { schema: 'store', name: 'orders' }
    const stream = await startStream(scene, await scene.open(), ordersTable(scene, { target }))
    await stream.land([['1', T, 'a']])
    await stream.land([['1', T, 'b']])
    expect(await stream.rows()).toEqual([['1', T, 'b']])
  })

  odd('columns that differ in case only cannot lie in one table', async (scene) => {
    const columns = [
      column('id', { name: 'int8' }, false),
      column('at', { name: 'timestamptz' }),
      column('ID', { name: 'text' }),
    ]
    const destination = await scene.open()
    const error = await failure(
      'DESTINATION_TABLE_MISMATCH',
      destination.prepare(ordersTable(scene, { columns }), undefined),
    )
    expect(error.message).toContain('ID')
  })

  odd('an older copy of the file shows an older claim (STATE-3)', async (scene) => {
    const path = scene.store.url.slice('duckdb://'.length)
    const first = await startStream(scene, await scene.open(), ordersTable(scene))
    await first.land([['1', T, 'a']], { upper: at('2026-03-02') })
    const identity = await first.destination.identity()
    await first.destination.close()
    await copyFile(path, `${path}.backup`)
    const second = await startStream(scene, await scene.open(), ordersTable(scene))
    await second.land([['2', '2026-03-02 10:00:00', 'b']], { upper: at('2026-03-03') })
    const { tailKeys } = await second.claim()
    await second.destination.close()
    await copyFile(`${path}.backup`, path)
    const restored = await startStream(scene, await scene.open(), ordersTable(scene))
    expect(await restored.destination.identity()).toEqual(identity)
    expect((await restored.claim()).watermark).toEqual(at('2026-03-02'))
    expect(await restored.destination.hasAnyKey(restored.table, tailKeys)).toBe(false)
  })
})

describe('pipes', () => {
  const pipesOf = async (pid: number | undefined) =>
    (await readdir(tmpdir())).filter((name) => name.startsWith(`plimsoll-duckdb-${pid}-`))

  odd('a landing without rows makes none; closing removes the one of a landing with rows', async (scene) => {
    const stream = await startStream(scene, await scene.open(), ordersTable(scene))
    await stream.land([])
    expect(await pipesOf(process.pid)).toEqual([])
    await stream.land([['1', T, 'a']])
    expect(await pipesOf(process.pid)).toHaveLength(1)
    await stream.destination.close()
    expect(await pipesOf(process.pid)).toEqual([])
  })

  odd('sweep removes what dead processes left, and nothing of the living', async (scene) => {
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    const left = join(tmpdir(), `plimsoll-duckdb-${dead.pid}-123-abcdef`)
    const reused = join(tmpdir(), `plimsoll-duckdb-${process.pid}-123-abcdef`)
    for (const folder of [left, reused]) {
      await mkdir(folder)
      await promisify(execFile)('mkfifo', [join(folder, 'rows.csv')])
    }
    const stream = await startStream(scene, await scene.open(), ordersTable(scene))
    await stream.land([['1', T, 'a']])
    const [own] = await pipesOf(process.pid).then((names) => names.filter((name) => !name.includes('-123-')))
    const swept = await stream.destination.sweep()
    expect(swept).toEqual(
      expect.arrayContaining([left, reused].map((folder) => folder.slice(tmpdir().length + 1))),
    )
    expect(swept).not.toContain(own)
    await stream.land([['2', T, 'b']])
    expect(await stream.rows()).toHaveLength(2)
  })
})

describe('several files', () => {
  test('four slow landings at once, and claims read meanwhile, do not freeze the process', async () => {
    const names = ['a', 'b', 'c', 'd']
    await Promise.all(
      names.map((name) =>
        inScene(setup, name, async (scene) => {
          const stream = await startStream(scene, await scene.open(), ordersTable(scene))
          const chunk = (k: number) => Buffer.from(csvOf([[`${k}`, T, 'x'.repeat(100_000)]]))
          const landing = stream.land([], { stream: chunkStream(chunk, 10, 10, 20) })
          for (let i = 0; i < 5; i++) await stream.claim()
          expect((await landing).inserted).toBe(10)
        }),
      ),
    )
  })
})

/** Chunks made one by one, so that the test never holds them all; `pauseMs` between them. */
function chunkStream(chunk: (k: number) => Buffer, chunks: number, rowCount: number, pauseMs = 0) {
  let byteSize = 0
  const bytes = Readable.from(
    (async function* () {
      for (let k = 0; k < chunks; k++) {
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
        const next = chunk(k)
        byteSize += next.length
        yield next
      }
    })(),
    { objectMode: false },
  )
  const done = once(bytes, 'end').then(() => ({ rowCount, byteSize }))
  return { format: 'plain_csv' as const, bytes, done, cancel: async () => void bytes.destroy() }
}

async function countRows(scene: Scene): Promise<number> {
  const table = ordersTable(scene)
  return (await scene.store.readRows(table.target, table.columns.slice(0, 1))).length
}
