import { describe } from 'vitest'
import { createTestStore } from '../../../test/support/duckdb-store.ts'
import { destinationSuite } from '../../testing/destination-suite.ts'
import { connector } from './index.ts'

describe('DuckDB', () => {
  destinationSuite({
    connector,
    createStore: createTestStore,
    refused: [
      'numeric(10,2) NaN',
      'timestamp 294276-12-31 23:59:59.999999',
      'timestamptz 294276-12-31 23:59:59.999999',
      'bit ',
      'int4[] {{1,2},{3,4}}',
      'int4[] [0:1]={1,2}',
    ],
  })
})
