import { onTestFinished } from 'vitest'
import type { Check } from '../../src/assure/doctor/check.ts'
import {
  type DoctorRequest,
  type ExaminedSource,
  examineSource,
} from '../../src/assure/doctor/examine-source.ts'
import { formatTableName } from '../../src/config/table-name.ts'
import type { StreamSettings } from '../../src/extract/index.ts'
import { connector as postgres } from '../../src/sources/postgres/index.ts'
import type { Source } from '../../src/sources/source.ts'
import { connector as sqlite } from '../../src/sources/sqlite/index.ts'
import { streamSettings } from '../support/engine.ts'
import { testContext } from '../support/postgres-source.ts'

/** What doctor found at a table, by the names of its checks. */
export interface Found {
  readonly all: ExaminedSource
  /** Of the first table. */
  readonly of: (name: string) => Check
  readonly ofSource: (name: string) => Check
}

export async function openDoctorSource(url: string, replicaUrl?: string): Promise<Source> {
  const connector = url.startsWith('sqlite') ? sqlite : postgres
  const replica = replicaUrl === undefined ? {} : { replicaUrl }
  const source = await connector.open({ url, ...replica, context: testContext() })
  onTestFinished(() => source.close())
  return source
}

/** Looks at a table as the command line does. */
export async function lookAt(
  url: string,
  table: string | StreamSettings,
  more: Partial<DoctorRequest> & { readonly replicaUrl?: string } = {},
): Promise<Found> {
  const { replicaUrl, ...rest } = more
  const source = rest.source ?? (await openDoctorSource(url, replicaUrl))
  const settings = typeof table === 'string' ? streamSettings(table) : table
  const all = await examineSource({
    source,
    address: 'shop',
    scope: 'doctor:test',
    tables: [{ table: formatTableName(settings.table), settings }],
    isConfigured: true,
    everyTable: [settings],
    catalog: undefined,
    claims: [],
    clock: { nowMs: () => performance.timeOrigin + performance.now(), sleep: async () => {} },
    show: () => {},
    ...rest,
  })
  return {
    all,
    of: (name) => named(all.tables[0]!.checks, name),
    ofSource: (name) => named(all.checks, name),
  }
}

function named(checks: readonly Check[], name: string): Check {
  const found = checks.find((check) => check.name === name)
  if (!found) throw new Error(`no check ${name} among ${checks.map((each) => each.name).join(', ')}`)
  return found
}

/** Severity and sentence, for golden texts. */
export const said = ({ severity, sentence }: Check): string => `${severity}: ${sentence}`
