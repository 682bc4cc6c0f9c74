import { describe } from 'vitest'
import { contentTests } from './catalog-contents.ts'
import { findingTests } from './catalog-findings.ts'
import { leaseTests } from './catalog-leases.ts'
import { recordTests } from './catalog-records.ts'
import type { CatalogSetup } from './catalog-setup.ts'

/** Registers every promise of the Catalog contract as a vitest test, with real processes that race and are killed. */
export function catalogSuite(setup: CatalogSetup): void {
  describe('catalog contract', () => {
    leaseTests(setup)
    recordTests(setup)
    contentTests(setup)
    findingTests(setup)
  })
}
