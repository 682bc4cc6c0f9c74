import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { DemoResult } from '../../src/cli/demo/result.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/plimsoll.cjs', import.meta.url))

/** Runs the built demo as CI would: no terminal, nothing to read from. */
function runDemo(...args: string[]) {
  const child = spawnSync(process.execPath, [PROGRAM, 'demo', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: 'true' },
    encoding: 'utf8',
  })
  return { code: child.status, stdout: child.stdout, stderr: child.stderr }
}

describe('plimsoll demo', () => {
  test('Plimsoll copies a short day exactly, and the usual strategies do not', () => {
    const { code, stdout, stderr } = runDemo('--seconds', '6', '--seed', '7', '--json', '--keep')
    expect(code, stderr).toBe(0)
    expect(stdout.trim().split('\n')).toHaveLength(1)
    const result = JSON.parse(stdout) as DemoResult & { ok: boolean; folder: string }
    try {
      expect(result).toMatchObject({ ok: true, verdict: 'shown', seed: 7, seconds: 6, writer_processes: 4 })
      expect(result.transactions).toBeGreaterThan(20)
      expect(result.committed_late).toBeGreaterThan(0)
      expect(result.plimsoll).toMatchObject({ lost: 0, duplicated: 0, stale: 0, invented: 0 })
      expect(result.claim?.proof).toBe('proven')
      expect(String(result.claim?.watermark) > result.newest_stamp).toBe(true)
      const copies = new Map(result.copies.map((copy) => [copy.id, copy]))
      expect([...copies.keys()]).toEqual(['after', 'from-append', 'from-upsert', 'lag'])
      expect(copies.get('after')?.lost).toBeGreaterThan(0)
      expect(copies.get('from-append')?.duplicated).toBeGreaterThan(0)
      expect(existsSync(join(result.folder, 'plimsoll.yaml'))).toBe(true)
    } finally {
      rmSync(result.folder, { recursive: true, force: true })
    }
  })

  test('a number that is none is a fault of usage', () => {
    const { code, stderr } = runDemo('--seconds', 'soon')
    expect(code).toBe(2)
    expect(stderr).toContain('whole number')
  })
})
