import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freshDatabase, postgresServers } from '../support/servers.ts'
import { afterGuard, complaints, openStage, type Stage } from './stage.ts'

const server = postgresServers()[0]!
/** Wide enough that the whole table does not fit into the room there is. */
const WIDEN = `create function wide(seed int) returns text language sql as $$ select string_agg(md5(seed || '/' || n), '') from generate_series(1, 400) n $$;
  update public.things set body = wide(id),
  updated_at = now() - interval '2 hours' + id * interval '1 second' where updated_at is not null`

const stageWithWideRows = async (): Promise<Stage> => {
  const stage = await openStage(await freshDatabase(server, 'disk source'), '', {
    destination: 'duckdb',
    mode: 'upsert',
  })
  await stage.sql('alter table public.things disable trigger touch')
  await stage.sql(WIDEN)
  return stage
}

/** The error says so, and only rows below the claim are there. */
async function expectFull(stage: Stage, ended: Awaited<ReturnType<Stage['copy']>>): Promise<void> {
  expect(ended.errors, ended.errors).toContain('DESTINATION_DISK_FULL')
  expect(ended.code).toBe(5)
  const [claim] = await stage.landed('select watermark from main.plimsoll_claim')
  const isAbove = claim?.[0] === 'NULL' ? 'true' : `epoch_us(updated_at) >= ${claim?.[0]}`
  const stray = await stage.landed(`select id from public.things where ${isAbove}`)
  expect(stray).toEqual([])
}

async function expectWhole(stage: Stage): Promise<void> {
  for (let i = 0; i < 2; i++) {
    const done = await stage.copy()
    expect(done.code, done.errors).toBe(0)
    await afterGuard()
  }
  expect(await complaints(stage)).toEqual([])
}

describe('no room at the destination', () => {
  test.skipIf(!mayMount())('a small file system', async () => {
    const stage = await stageWithWideRows()
    const folder = join(stage.folder, 'copy')
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'plimsoll-test', folder])
    try {
      await expectFull(stage, await stage.copy())
      execFileSync('mount', ['-o', 'remount,size=64m', folder])
      await expectWhole(stage)
    } finally {
      execFileSync('umount', ['-l', folder])
      await stage.dispose()
    }
  })

  test('a limit on the size of files', async () => {
    const stage = await stageWithWideRows()
    try {
      await expectFull(stage, await stage.copy({ fileByteSizeMax: 2 * 1024 * 1024 }))
      await expectWhole(stage)
    } finally {
      await stage.dispose()
    }
  })
})

function mayMount(): boolean {
  const folder = `/tmp/plimsoll-mount-${process.pid}`
  try {
    execFileSync('mkdir', ['-p', folder])
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'plimsoll-test', folder], { stdio: 'ignore' })
    writeFileSync(join(folder, 'x'), '')
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
