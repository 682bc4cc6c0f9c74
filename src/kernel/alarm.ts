/** A page: something is missing, or will be without an act. A notice: somebody should know (spec A59). */
export type AlarmLevel = 'page' | 'notice'

/** What is known of an alarm before it is raised. Its runbook is `docs/runbooks/<name>.md`. */
export interface AlarmRule {
  readonly level: AlarmLevel
  /** When a notice becomes a page, in words. */
  readonly escalates?: string
  /** The condition, as a sentence. */
  readonly condition: string
  readonly resolves: string
  /** What it costs while it is open. */
  readonly costs: string
  /** The command that comes next; `{table}` stands for the stream. */
  readonly next: string
}

/** Every alarm that is not about topics (spec A59). */
export const ALARMS = {
  rows_lost: {
    level: 'page',
    condition:
      'Rows are missing or stale at the destination, confirmed by two looks, and the extract let them go or nobody knows why.',
    resolves: 'all of them repaired or accepted, and a clean audit of that scope afterwards',
    costs: 'The destination lacks these rows and no run will bring them; complete answers no for their time.',
    next: 'plimsoll repair {table} --findings ID',
  },
  destination_lost_rows: {
    level: 'page',
    condition: 'Rows that were landed have vanished from the destination.',
    resolves: 'all of them repaired or accepted, and a clean audit of that scope afterwards',
    costs: 'The destination lacks these rows; whoever took them away may do it again.',
    next: 'plimsoll repair {table} --findings ID',
  },
  rows_backdated: {
    level: 'notice',
    condition: 'Somebody wrote rows with an old date after the watermark had passed it.',
    resolves: 'repaired or accepted',
    costs: 'The destination lacks these rows or shows them as they were; the extract is right.',
    next: 'plimsoll repair {table} --findings ID',
  },
  rows_unbumped: {
    level: 'notice',
    escalates: 'a page for more than 100 rows, and when a column is spoilt on the way (TRANSIT)',
    condition: 'Rows changed without a new position, or a value changes on its way.',
    resolves: 'a clean reconcile',
    costs: 'No reader by position sees these changes: the destination shows the rows as they were.',
    next: 'plimsoll repair {table} --findings ID',
  },
  rows_extra: {
    level: 'notice',
    escalates: 'a page beyond deleteMaxRows or deleteMaxShare',
    condition: 'Rows are gone at the source and stand at the destination still.',
    resolves: 'tombstoned, removed or accepted',
    costs: 'Queries at the destination count rows that were deleted.',
    next: 'plimsoll reconcile {table}',
  },
  rows_unorderable: {
    level: 'notice',
    condition:
      'Rows have no place in the order (NULL, infinity, the future) and stand otherwise at the destination.',
    resolves: 'the lane is empty, or the rows are accepted',
    costs: 'These rows are outside every claim; a run delivers them apart, or not at all.',
    next: 'plimsoll repair {table} --findings ID',
  },
  lane_growing: {
    level: 'notice',
    condition: 'More rows than laneMaxRows have no place in the order.',
    resolves: 'the lane is empty, or the rows are accepted',
    costs: 'The lane is read in turns, so its rows arrive late; none of them moves the watermark.',
    next: 'plimsoll trace {table}',
  },
  range_hole: {
    level: 'page',
    condition: 'A range below the watermark was skipped by hand.',
    resolves: 'the range is filled by a backfill',
    costs: 'Everything in the range is missing; the claim is assumed.',
    next: 'plimsoll backfill {table}',
  },
  fence_held: {
    level: 'notice',
    escalates: 'a page after six times holdAlarm',
    condition: 'A transaction has been open for longer than holdAlarm and holds the fence.',
    resolves: 'the fence is within fenceFresh of the clock again',
    costs: 'The watermark stands: rows written since wait at the source.',
    next: 'plimsoll plan',
  },
  fence_decreed: {
    level: 'page',
    condition:
      'The fence passed over a transaction that is still open, because it had held for longer than holdMax.',
    resolves: 'its bill is recorded',
    costs: 'The claim is assumed: rows this transaction still commits are missing until its bill is paid.',
    next: 'plimsoll trace {table}',
  },
  decree_billed: {
    level: 'page',
    condition: 'The transaction that was passed over committed rows after all; they have been read since.',
    resolves: 'a clean audit of the range',
    costs: 'Whatever was computed meanwhile lacked these rows.',
    next: 'plimsoll audit {table}',
  },
  watermark_stalled: {
    level: 'page',
    condition: 'The watermark has not moved for stallAfter, though runs are due.',
    resolves: 'the watermark moves',
    costs: 'The destination falls behind with every minute.',
    next: 'plimsoll status',
  },
  watermark_late: {
    level: 'page',
    condition: 'The watermark lags by more than lagMax and is not catching up.',
    resolves: 'the lag is below lagMax for two runs',
    costs: 'Reports that wait for this table wait; at this rate it does not catch up by itself.',
    next: 'plimsoll runs {table}',
  },
  source_idle: {
    level: 'notice',
    condition: 'The watermark moves, and nothing newer than idleMax has been written.',
    resolves: 'a new position appears',
    costs: 'Nothing, when the source is quiet; everything, when its writers are broken.',
    next: 'plimsoll status --live',
  },
  run_failing: {
    level: 'notice',
    escalates: 'a page after three failed runs in a row',
    condition: 'The last run failed.',
    resolves: 'a run advanced or was empty',
    costs: 'The watermark stands until a run ends well.',
    next: 'plimsoll trace {table}',
  },
  run_overdue: {
    level: 'page',
    condition: 'No run has ended within three periods.',
    resolves: 'a run advanced or was empty',
    costs: 'Nothing is copied; the scheduler may be down.',
    next: 'plimsoll run {table}',
  },
  lateness_beyond_overlap: {
    level: 'page',
    condition: 'A row became visible later after its position than the overlap reaches back.',
    resolves: 'the overlap is raised and an audit is clean',
    costs: 'Rows as late as this one are passed for good.',
    next: 'plimsoll lateness {table}',
  },
  lateness_near_overlap: {
    level: 'notice',
    condition: 'A late row lay in the last fifth of the overlap.',
    resolves: 'seven days of measured runs without',
    costs: 'A little later, and it would have been lost.',
    next: 'plimsoll lateness {table}',
  },
  lateness_shift: {
    level: 'notice',
    condition: 'More rows are late today than the last 14 days explain.',
    resolves: 'seven days of measured runs without',
    costs: 'The overlap may soon be too short.',
    next: 'plimsoll lateness {table}',
  },
  lateness_unmeasured: {
    level: 'notice',
    condition: 'A claim says measured, and fewer latenesses were measured than that takes.',
    resolves: 'seven days of measured runs without',
    costs: 'The claim falls back to assumed.',
    next: 'plimsoll lateness {table}',
  },
  proof_contradicted: {
    level: 'page',
    condition: 'A row appeared below a proven watermark: something else than the database stamps the rows.',
    resolves: 'the stamping is declared anew, by a person, in a new generation',
    costs: 'The claim is at most measured; earlier proven claims may have been wrong.',
    next: 'plimsoll audit {table}',
  },
  audit_overdue: {
    level: 'page',
    condition:
      'No complete audit or reconcile within twice auditEvery; one that could not look does not count.',
    resolves: 'one completes',
    costs: 'A loss would not be noticed, and may soon be beyond repair.',
    next: 'plimsoll audit {table}',
  },
  source_changed: {
    level: 'page',
    condition: 'Another server or database answers under the address.',
    resolves: 'the server of the claim answers again, or the new one is accepted into a new generation',
    costs: 'Nothing is copied.',
    next: 'plimsoll trace {table}',
  },
  source_went_back: {
    level: 'page',
    condition: 'The source is older than what was already read from it.',
    resolves: 'a source that is not older answers, or it is accepted into a new generation',
    costs: 'Nothing is copied; the destination may hold rows that the source no longer has.',
    next: 'plimsoll trace {table}',
  },
  destination_went_back: {
    level: 'page',
    condition: 'The destination is older than what was landed there.',
    resolves: 'what was landed is there again, or a new generation begins at what is there',
    costs: 'Nothing is copied; rows below the old watermark are missing.',
    next: 'plimsoll state show {table}',
  },
  timeline_changed: {
    level: 'notice',
    condition: 'The source was promoted or restored; a declared span is read again.',
    resolves: 'the next clean audit',
    costs: 'Commits of the old primary may be missing on the new one.',
    next: 'plimsoll audit {table}',
  },
  schema_changed: {
    level: 'page',
    condition: 'A column, the key or the table itself is not what the claim was made with.',
    resolves: 'a run ends well again, or the change is accepted into a new generation',
    costs: 'Nothing is copied.',
    next: 'plimsoll trace {table}',
  },
  column_added: {
    level: 'notice',
    condition: 'The source has a new column; rows below the watermark have no value in it.',
    resolves: 'a backfill of everything below that watermark',
    costs: 'Older rows show NULL where the source may have a value.',
    next: 'plimsoll backfill {table}',
  },
  labels_changed: {
    level: 'notice',
    condition:
      'Labels of an enum were renamed, removed or moved; rows below the watermark keep the old ones.',
    resolves: 'a backfill of everything below that watermark',
    costs: 'Older rows show labels that the source does not have any more.',
    next: 'plimsoll backfill {table}',
  },
  column_changed: {
    level: 'notice',
    condition: 'A column has another collation or takes NULL where it did not, or no longer.',
    resolves: 'the next clean audit',
    costs: 'Nothing that was landed changes; what sorts or joins at the destination may.',
    next: 'plimsoll audit {table}',
  },
  partition_attached: {
    level: 'page',
    condition: 'A partition came with rows below the watermark: no run reads them.',
    resolves: 'a backfill of everything below that watermark',
    costs: 'The destination lacks these rows.',
    next: 'plimsoll backfill {table}',
  },
  partition_detached: {
    level: 'notice',
    condition: 'Partitions are gone from the table; the destination keeps their rows.',
    resolves: 'the next clean audit',
    costs: 'Queries at the destination count rows that the source does not show any more.',
    next: 'plimsoll reconcile {table}',
  },
  grain_changed: {
    level: 'notice',
    condition: 'The position column moves in coarser steps than before.',
    resolves: 'the next clean audit',
    costs: 'Rows stamped before the change was seen may lie below an earlier bound.',
    next: 'plimsoll audit {table}',
  },
  clock_stepped_back: {
    level: 'notice',
    condition: 'The clock of the source stepped back by more than the guard.',
    resolves: 'a run with a normal step',
    costs: 'The watermark stands, and the next range begins that much lower.',
    next: 'plimsoll run {table}',
  },
  retention_short: {
    level: 'notice',
    escalates: 'a page when it is below the watermark lag',
    condition: 'The source forgets rows sooner than two audit intervals and a week.',
    resolves: 'the reach is above the limit',
    costs: 'A loss found later is beyond repair.',
    next: 'plimsoll doctor',
  },
  doctor_changed: {
    level: 'notice',
    escalates: 'a page for blockers',
    condition: 'A check of the doctor got worse.',
    resolves: 'it is back, or accepted',
    costs: 'What the check says.',
    next: 'plimsoll doctor',
  },
  review_breaks: {
    level: 'notice',
    condition: 'At the reviewed multiple of the load something breaks.',
    resolves: 'the next review is ok',
    costs: 'Nothing today.',
    next: 'plimsoll review',
  },
  rehearsal_due: {
    level: 'notice',
    condition: 'No rehearsal within rehearseEvery, or none since fence, strategy or schema changed.',
    resolves: 'rehearsed',
    costs: 'What happens at a multiple of the load is not known.',
    next: 'plimsoll rehearse --multiplier 8 --on STAGING_URL --for 10m',
  },
  chain_broken: {
    level: 'page',
    condition: 'A record in the catalog was changed, or records are missing.',
    resolves: 'a person opens a new generation',
    costs: 'What the records before it say can no longer be shown.',
    next: 'plimsoll verify --table {table}',
  },
} as const satisfies Record<string, AlarmRule>

export type AlarmName = keyof typeof ALARMS

/** What is known of an alarm; undefined for a name that this program does not raise. */
export function alarmRule(name: string): AlarmRule | undefined {
  return Object.hasOwn(ALARMS, name) ? ALARMS[name as AlarmName] : undefined
}

/** The level it is raised with when nobody says another: of one without a rule the loud one. */
export function alarmLevel(name: string): AlarmLevel {
  return alarmRule(name)?.level ?? 'page'
}
