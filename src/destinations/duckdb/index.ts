import type { DestinationConnector } from '../destination.ts'
import { openDestination } from './destination.ts'

export const connector: DestinationConnector = {
  schemes: ['duckdb'],
  title: 'DuckDB file',
  open: openDestination,
}
