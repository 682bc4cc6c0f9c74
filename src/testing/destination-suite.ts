import { describe } from 'vitest'
import { claimTests } from './destination-claim.ts'
import { classTests } from './destination-classes.ts'
import { crashTests } from './destination-crash.ts'
import { historyTests } from './destination-history.ts'
import { keyTests } from './destination-keys.ts'
import { landingTests } from './destination-landing.ts'
import { lookTests } from './destination-looks.ts'
import { prepareTests } from './destination-prepare.ts'
import { receiptTests } from './destination-receipt.ts'
import { removalTests } from './destination-removals.ts'
import type { DestinationSetup } from './destination-setup.ts'
import { typeTests } from './destination-types.ts'
import { watermarkTests } from './destination-watermarks.ts'

/**
 * Registers every promise of the Destination contract as a vitest test (spec E53 to E61, E67, E75, A6, A27). Call it once in a
 * connector's own test file; a capability the connector does not declare is not tested.
 */
export function destinationSuite(setup: DestinationSetup): void {
  describe('destination contract', () => {
    claimTests(setup)
    prepareTests(setup)
    landingTests(setup)
    keyTests(setup)
    classTests(setup)
    receiptTests(setup)
    historyTests(setup)
    crashTests(setup)
    typeTests(setup)
    watermarkTests(setup)
    lookTests(setup)
    removalTests(setup)
  })
}
