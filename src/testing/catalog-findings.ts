import { describe, expect, test } from 'vitest'
import type { Finding } from '../kernel/finding.ts'
import { type CatalogSetup, onCatalog } from './catalog-setup.ts'

export const FINDING: Finding = {
  id: 'a-1/1',
  checkId: 'a-1',
  stream: 'pipeline/public.orders',
  generation: 1,
  keyText: '1:é',
  key: ['é'],
  verdict: 'LOST',
  mechanism: 'tie',
  grade: 'shown',
  state: 'confirmed',
  sourcePosition: '9007199254740993',
  destinationPosition: null,
  columns: [{ column: 'note', how: 'without trailing spaces' }],
  evidence: { committed_at: '2026-03-02 14:02:11Z' },
  foundUs: '1772500000000000',
  changedUs: '1772500060000000',
  closedBy: null,
}
const STREAM = FINDING.stream
const MANY = 2_000

/** Findings are kept, replaced by id, found and counted; none is lost (spec A15). */
export function findingTests(setup: CatalogSetup): void {
  describe('findings', () => {
    test('come back exactly as they were put, by stream, check, state, id and key', () =>
      onCatalog(setup, 'findings', async (catalog, open) => {
        const extra: Finding = {
          ...FINDING,
          id: 'a-1/2',
          keyText: '1:b',
          verdict: 'EXTRA',
          state: 'suspected',
        }
        const later: Finding = { ...FINDING, id: 'a-2/1', checkId: 'a-2', state: 'withdrawn' }
        const other: Finding = { ...FINDING, id: 'a-1/3', stream: 'another stream' }
        await catalog.putFindings([FINDING, extra, other])
        await catalog.putFindings([later])
        const again = await open()
        const ids = async (wanted: object): Promise<string[]> =>
          (await again.findings({ limit: 10, ...wanted })).map(({ id }) => id)
        expect(await again.findings({ stream: STREAM, limit: 10 })).toEqual([FINDING, extra, later])
        expect(await ids({ checkId: 'a-1' })).toEqual(['a-1/1', 'a-1/2', 'a-1/3'])
        expect(await ids({ states: ['suspected', 'withdrawn'] })).toEqual(['a-1/2', 'a-2/1'])
        expect(await ids({ ids: ['a-2/1', 'a-9/9'] })).toEqual(['a-2/1'])
        expect(await ids({ stream: STREAM, keyTexts: [FINDING.keyText] })).toEqual(['a-1/1', 'a-2/1'])
        expect(await ids({ states: [] })).toEqual([])
        expect(await ids({ limit: 2 })).toEqual(['a-1/1', 'a-1/2'])
        expect(await again.streams()).toEqual(['another stream', STREAM])
      }))

    test('one of the same id replaces the one before and keeps its place', () =>
      onCatalog(setup, 'findings replaced', async (catalog) => {
        const second = { ...FINDING, id: 'a-1/2' }
        const repaired: Finding = { ...FINDING, state: 'repaired', closedBy: 'r-1' }
        await catalog.putFindings([FINDING, second])
        await catalog.putFindings([repaired])
        expect(await catalog.findings({ limit: 10 })).toEqual([repaired, second])
      }))

    test('are counted by verdict, however many there are', () =>
      onCatalog(setup, 'findings counted', async (catalog) => {
        const many = Array.from({ length: MANY }, (_, i): Finding => ({ ...FINDING, id: `a-1/${i}` }))
        const stale: Finding = { ...FINDING, id: 'stale', verdict: 'STALE', state: 'suspected' }
        await catalog.putFindings([...many, stale, { ...FINDING, id: 'elsewhere', stream: 'another stream' }])
        expect(await catalog.countFindings(STREAM, ['confirmed', 'suspected'])).toEqual({
          LOST: MANY,
          STALE: 1,
        })
        expect(await catalog.countFindings(STREAM, ['suspected'])).toEqual({ STALE: 1 })
        expect(await catalog.countFindings(STREAM, [])).toEqual({})
        expect(await catalog.countFindings('unknown', ['confirmed'])).toEqual({})
      }))

    test('of one call are put all or none', () =>
      onCatalog(setup, 'findings atomic', async (catalog) => {
        const broken = { ...FINDING, id: 'a-1/2', evidence: { n: 1n } } as unknown as Finding
        await expect(catalog.putFindings([FINDING, broken])).rejects.toThrow()
        expect(await catalog.findings({ limit: 10 })).toEqual([])
      }))
  })
}
