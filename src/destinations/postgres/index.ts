import type { DestinationConnector } from '../destination.ts'
import { openDestination } from './destination.ts'

export const connector: DestinationConnector = {
  schemes: ['postgres', 'postgresql'],
  title: 'PostgreSQL',
  open: async (options) => openDestination(options),
}
