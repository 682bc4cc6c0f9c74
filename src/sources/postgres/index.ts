import type { SourceConnector } from '../source.ts'
import { openLoadGenerator } from './load/generator.ts'
import { PostgresSource } from './postgres-source.ts'

/** PostgreSQL 12 and later, read over COPY. */
export const connector: SourceConnector = {
  schemes: ['postgres', 'postgresql'],
  title: 'PostgreSQL',
  open: async (options) => new PostgresSource(options),
  openLoad: openLoadGenerator,
}
