import type { SourceConnector } from '../source.ts'
import { openSqliteSource } from './source.ts'

/** SQLite files of this host. */
export const connector: SourceConnector = {
  schemes: ['sqlite'],
  title: 'SQLite',
  open: openSqliteSource,
}
