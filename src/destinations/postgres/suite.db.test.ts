import { describe } from 'vitest'
import { setupOn } from '../../../test/support/postgres-destination.ts'
import { postgresServers } from '../../../test/support/servers.ts'
import { destinationSuite } from '../../testing/destination-suite.ts'

describe.each(postgresServers())('PostgreSQL $major', (server) => {
  destinationSuite(setupOn(server))
})
