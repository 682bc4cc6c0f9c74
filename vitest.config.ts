import { defineConfig } from 'vitest/config'

// DuckDB works on libuv's pool, whose size is read once, when a process starts: workers inherit it from here.
process.env.UV_THREADPOOL_SIZE ??= '16'

const SERVERS = './scripts/servers/global-setup.ts'

/** One heavy suite at a time: its files run one after another, and groups never overlap. */
const heavy = (groupOrder: number, testTimeout: number) => ({
  pool: 'forks' as const,
  fileParallelism: false,
  testTimeout,
  hookTimeout: 120_000,
  sequence: { groupOrder },
})

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/house/**/*.test.ts'],
          exclude: ['src/**/*.db.test.ts'],
          pool: 'forks',
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'db',
          include: ['src/**/*.db.test.ts', '{scripts,test}/**/*.db.test.ts', 'test/cli/**/*.test.ts'],
          globalSetup: SERVERS,
          ...heavy(1, 60_000),
        },
      },
      { test: { name: 'sim', include: ['test/sim/**/*.test.ts'], ...heavy(2, 600_000) } },
      {
        test: {
          name: 'race',
          include: ['test/{race,rehearse}/**/*.test.ts'],
          globalSetup: SERVERS,
          ...heavy(3, 600_000),
        },
      },
      {
        test: {
          name: 'crash',
          include: ['test/crash/**/*.test.ts'],
          globalSetup: SERVERS,
          ...heavy(4, 600_000),
        },
      },
    ],
  },
})
