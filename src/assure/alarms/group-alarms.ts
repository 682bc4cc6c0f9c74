import type { Alarm } from '../../catalog/catalog.ts'

/** Alarms of one cause, told as one (spec A59). The first is the oldest. */
export interface AlarmGroup {
  readonly name: string
  readonly level: Alarm['level']
  readonly pipeline: string
  /** Without the pipeline, in order of raising. */
  readonly streams: readonly string[]
  readonly alarms: readonly [Alarm, ...Alarm[]]
}

/** What befalls all streams of a source or destination at once: told once, whatever each of them says. */
const SHARED = new Set([
  'run_overdue',
  'watermark_stalled',
  'watermark_late',
  'audit_overdue',
  'source_changed',
  'source_went_back',
  'destination_went_back',
  'timeline_changed',
  'clock_stepped_back',
])

/** Streams of one broken source come as one page; pages first, then by age. */
export function groupAlarms(alarms: readonly Alarm[]): readonly AlarmGroup[] {
  const groups = new Map<string, Alarm[]>()
  for (const alarm of alarms) {
    const key = [pipelineOf(alarm), alarm.name, causeOf(alarm), alarm.resolvedUs === undefined].join('\0')
    groups.set(key, [...(groups.get(key) ?? []), alarm])
  }
  const told = [...groups.values()].map((list): AlarmGroup => {
    const [first, ...rest] = list as [Alarm, ...Alarm[]]
    return {
      name: first.name,
      level: list.some(({ level }) => level === 'page') ? 'page' : 'notice',
      pipeline: pipelineOf(first),
      streams: list.map(streamOf),
      alarms: [first, ...rest],
    }
  })
  const rank = ({ level, alarms: [first] }: AlarmGroup): number =>
    (first.resolvedUs === undefined ? 0 : 2) + (level === 'page' ? 0 : 1)
  return told.sort((a, b) => rank(a) - rank(b) || a.alarms[0].id - b.alarms[0].id)
}

function causeOf({ id, name, latest, evidence }: Alarm): string {
  if (SHARED.has(name)) return ''
  if (name === 'run_failing') return evidence
  // The session that holds, and the decree over it, are in the text of every table they hold.
  if (name === 'fence_held') return holderIn(evidence) ?? String(id)
  return name === 'fence_decreed' ? latest : String(id)
}

function holderIn(evidence: string): string | undefined {
  try {
    return (JSON.parse(evidence) as { readonly key?: string }).key
  } catch {
    return undefined
  }
}

const pipelineOf = ({ stream }: Alarm): string =>
  stream.includes('/') ? stream.slice(0, stream.indexOf('/')) : ''

const streamOf = ({ stream }: Alarm): string => stream.slice(stream.indexOf('/') + 1)
