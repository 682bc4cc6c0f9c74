/** The named instants at which the crash suite kills the program (spec E74). */
export const FAILPOINTS = [
  'run.opened',
  'lease.acquired',
  'fence.clock_read',
  'fence.listed',
  'fence.recorded',
  'replica.waited',
  'read.locked',
  'read.snapshot_opened',
  'read.page_done',
  'read.last_page_done',
  'schema.destination_altered',
  'land.staged',
  'land.counted',
  'land.merged',
  'land.claim_written',
  'land.commit_sent',
  'land.committed',
  'land.acknowledged',
  'land.marker_published',
  'slice.receipt_stored',
  'run.closing',
  'lane.landed',
  'peek.landed',
  'decree.recorded',
  'bill.read',
  'bill.landed',
  'generation.opened',
  'rewind.recorded',
  'backfill.slice_landed',
  'repair.page_landed',
  'lease.lost_while_landing',
] as const

export type Failpoint = (typeof FAILPOINTS)[number]

/** Called at each failpoint. Does nothing in production; a test may kill, throw or wait there. */
export type ReachFailpoint = (name: Failpoint) => void | Promise<void>
