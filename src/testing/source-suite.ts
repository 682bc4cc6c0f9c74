import { describe } from 'vitest'
import { fenceTests } from './source-fences.ts'
import { laneTests } from './source-lanes.ts'
import { lookTests } from './source-looks.ts'
import { rangeTests } from './source-ranges.ts'
import type { SourceSetup } from './source-setup.ts'
import { shapeTests } from './source-shapes.ts'
import { snapshotTests } from './source-snapshots.ts'

/** Registers every promise of the Source contract as a vitest test (spec E9, E10, E12, E20, E43 to E46, E50, E66). */
export function sourceSuite(setup: SourceSetup): void {
  describe('source contract', () => {
    shapeTests(setup)
    rangeTests(setup)
    laneTests(setup)
    snapshotTests(setup)
    fenceTests(setup)
    lookTests(setup)
  })
}
