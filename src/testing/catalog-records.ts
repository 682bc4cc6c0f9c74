import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Catalog, StoredRecord } from '../catalog/catalog.ts'
import { canonicalJson } from '../kernel/canonical-json.ts'
import { childModule } from './catalog-leases.ts'
import { type CatalogSetup, onCatalog } from './catalog-setup.ts'
import { startChild } from './child-process.ts'

const STREAM = 'pipeline/public.orders'
const RUNS_BEFORE_KILL = 12

/** Records are appended, chained and survive; a run is open or recorded, never both or neither (spec E72). */
export function recordTests(setup: CatalogSetup): void {
  describe('runs and records', () => {
    test('an open run is listed until its record is there', () =>
      onCatalog(setup, 'open run', async (catalog, open) => {
        const run = await openRun(catalog, 'r1')
        await openRun(catalog, 'r2', 'another stream')
        expect(await (await open()).openRuns(STREAM)).toEqual([run])
        await catalog.closeRun('r1', STREAM, { outcome: 'empty' })
        expect(await (await open()).openRuns(STREAM)).toEqual([])
        expect(await catalog.openRuns('another stream')).toHaveLength(1)
      }))

    test('each record names the hash of the one before it in its stream', () =>
      onCatalog(setup, 'chain', async (catalog, open) => {
        const first = await closeRun(catalog, 'r1')
        await closeRun(catalog, 'other', 'another stream')
        const second = await closeRun(catalog, 'r2')
        expect(first).toMatchObject({ runId: 'r1', stream: STREAM, sequence: 1 })
        expect(second).toMatchObject({ sequence: 2, prev: first.hash })
        expect(chainFault([first, second])).toBeUndefined()
        const again = await open()
        expect(await again.records(STREAM, 10)).toEqual([second, first])
        expect(await again.records(STREAM, 1)).toEqual([second])
        expect(await again.recordsAfter(STREAM, 0, 10)).toEqual([first, second])
        expect(await again.recordsAfter(STREAM, 0, 1)).toEqual([first])
        expect(await again.recordsAfter(STREAM, 1, 10)).toEqual([second])
        expect(await again.recordsAfter(STREAM, 2, 10)).toEqual([])
        expect((await again.records(undefined, 10)).map((record) => record.runId)).toEqual([
          'r2',
          'other',
          'r1',
        ])
        expect(await again.record('r1')).toEqual(first)
        expect(await again.record('r9')).toBeUndefined()
      }))

    test('an edited record shows', () =>
      onCatalog(setup, 'edited', async (catalog) => {
        const records = [
          await closeRun(catalog, 'r1'),
          await closeRun(catalog, 'r2'),
          await closeRun(catalog, 'r3'),
        ]
        const edited = records.map((record, i) =>
          i === 1 ? { ...record, json: record.json.replace('"x"', '"y"') } : record,
        )
        expect(edited[1]!.json).not.toBe(records[1]!.json)
        expect(chainFault(edited)).toBe('r2')
        expect(chainFault([records[0]!, records[2]!])).toBe('r3')
      }))

    test('a record is canonical JSON of texts, no inexact numbers, and nothing is left of a refused one (A57)', () =>
      onCatalog(setup, 'canonical', async (catalog) => {
        await openRun(catalog, 'r1')
        await expect(catalog.closeRun('r1', STREAM, { rows: 1n })).rejects.toThrow()
        expect(await catalog.openRuns(STREAM)).toHaveLength(1)
        const said = { z: '9007199254740993', a: { y: 1, x: null, t: true }, list: [1, ['b', -0.5]] }
        const record = await catalog.closeRun('r1', STREAM, said)
        expect(record.json).toBe(canonicalJson(JSON.parse(record.json)))
        expect(JSON.parse(record.json)).toEqual({
          z: '9007199254740993',
          a: { y: '1', x: null, t: 'true' },
          list: ['1', ['b', '-0.5']],
          pipeline: 'pipeline',
          stream: 'public.orders',
          version: '1',
          sequence: '1',
          prev: '0'.repeat(64),
        })
      }))

    test('a run that is not open cannot be closed, nor a closed one opened', () =>
      onCatalog(setup, 'closed', async (catalog) => {
        await expect(catalog.closeRun('r0', STREAM, {})).rejects.toThrow()
        await closeRun(catalog, 'r1')
        await expect(catalog.closeRun('r1', STREAM, {})).rejects.toThrow()
        await expect(openRun(catalog, 'r1')).rejects.toThrow()
        expect(await catalog.records(STREAM, 10)).toHaveLength(1)
      }))

    test('what is no run stands in the same chain: named by its run_id, else by kind and place', () =>
      onCatalog(setup, 'appended', async (catalog, open) => {
        const run = await closeRun(catalog, 'r1')
        const audit = await catalog.appendRecord(STREAM, { kind: 'audit', run_id: 'a1' })
        await (await open()).appendRecord('another stream', { kind: 'audit', run_id: 'a1' })
        const decree = await catalog.appendRecord(STREAM, { kind: 'decree' })
        const later = await closeRun(catalog, 'r2')
        expect([audit.runId, decree.runId]).toEqual(['a1', 'decree-3'])
        expect(chainFault([run, audit, decree, later])).toBeUndefined()
        expect(await catalog.records(STREAM, 10)).toEqual([later, decree, audit, run])
        expect(await catalog.recordsOfKind(STREAM, 'run', 10)).toEqual([later, run])
        expect(await catalog.recordsOfKind(STREAM, 'run', 1)).toEqual([later])
        expect(await catalog.recordsOfKind(STREAM, 'decree', 10)).toEqual([decree])
        expect(await catalog.recordsOfKind(STREAM, 'bill', 10)).toEqual([])
        expect(await catalog.record('a1')).toEqual(audit)
        await expect(catalog.appendRecord(STREAM, { kind: 'audit', run_id: 'a1' })).rejects.toThrow()
        expect(await catalog.records(STREAM, 10)).toHaveLength(4)
      }))

    const { module } = setup
    if (module === undefined) return

    test('a process killed while it writes leaves each run open or recorded, and the chain whole', () =>
      onCatalog(setup, 'killed', async (catalog, _, location) => {
        const child = startChild(childModule(), 'closeRunsUntilKilled', module, location, STREAM)
        const said: string[] = []
        while (said.length < RUNS_BEFORE_KILL) said.push((await child.nextLine())!)
        await child.kill()
        for (let line = await child.nextLine(); line; line = await child.nextLine()) said.push(line)
        const records = [...(await catalog.records(STREAM, 1_000_000))].reverse()
        const open = (await catalog.openRuns(STREAM)).map((run) => run.runId)
        const recorded = records.map((record) => record.runId)
        expect(chainFault(records)).toBeUndefined()
        expect(recorded).toEqual(expect.arrayContaining(said))
        expect(open.length).toBeLessThanOrEqual(1)
        expect([...recorded, ...open]).toEqual([...recorded, ...open].map((_, i) => `run-${i}`))
        await closeRun(catalog, 'successor')
        expect(chainFault([...(await catalog.records(STREAM, 1_000_000))].reverse())).toBeUndefined()
      }))
  })
}

async function openRun(catalog: Catalog, runId: string, stream = STREAM) {
  const run = {
    runId,
    stream,
    epoch: 3,
    openedUs: catalog.nowUs(),
    host: 'here',
    pid: process.pid,
    kind: 'run',
  }
  await catalog.openRun(run)
  return run
}

async function closeRun(catalog: Catalog, runId: string, stream = STREAM): Promise<StoredRecord> {
  await openRun(catalog, runId, stream)
  return catalog.closeRun(runId, stream, { run_id: runId, kind: 'run', x: 'x' })
}

/** The run id of the first record that does not fit to what is before it; written apart from the catalog's own code. */
function chainFault(records: readonly StoredRecord[]): string | undefined {
  let prev = '0'.repeat(64)
  for (const [i, record] of records.entries()) {
    const said = JSON.parse(record.json) as { prev: string; sequence: string }
    const hash = createHash('sha256').update(record.json).digest('hex')
    const fits = record.prev === prev && said.prev === prev && record.sequence === i + 1
    if (!fits || said.sequence !== String(i + 1) || hash !== record.hash) return record.runId
    prev = hash
  }
  return undefined
}
