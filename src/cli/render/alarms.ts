import type { AlarmGroup } from '../../assure/alarms/group-alarms.ts'
import type { Alarm } from '../../catalog/catalog.ts'
import { alarmRule } from '../../kernel/alarm.ts'
import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { Colour } from './colour.ts'
import { formatUs, plural } from './quantity.ts'
import { renderFields } from './table.ts'

const STREAMS_NAMED = 5

/** Each cause once: what, since when, what it costs, the next command (spec A59). */
export function renderAlarms(groups: readonly AlarmGroup[], nowUs: bigint, colour: Colour): string {
  const open = groups.filter(({ alarms: [first] }) => first.resolvedUs === undefined)
  const pages = open.filter(({ level }) => level === 'page').length
  const counted = `${plural(pages, 'page')}, ${plural(open.length - pages, 'notice')} open`
  const head =
    pages > 0
      ? colour.red(counted)
      : open.length > 0
        ? colour.yellow(counted)
        : colour.green('no alarm is open')
  return [head, ...groups.map((group) => renderGroup(group, nowUs, colour))].join('\n\n')
}

function renderGroup(group: AlarmGroup, nowUs: bigint, colour: Colour): string {
  const { name, level, pipeline, streams, alarms } = group
  const [first] = alarms
  const rule = alarmRule(name)
  const shown = first.resolvedUs === undefined ? level.toUpperCase() : 'resolved'
  const paint = first.resolvedUs !== undefined ? colour.dim : level === 'page' ? colour.red : colour.yellow
  const count = alarms.reduce((sum, alarm) => sum + alarm.count, 0)
  const fields: [string, string][] = [['what', whatText(group)]]
  if (first.latest !== first.text) fields.push(['first', first.text])
  fields.push(['since', sinceText(first, count, nowUs)])
  if (rule) {
    fields.push(['costs', rule.costs], ['until', rule.resolves])
    fields.push(['next', nextCommand(group)])
    fields.push(['runbook', `docs/runbooks/${name}.md`])
  }
  return `${paint(shown)}  ${colour.bold(name)}  ${pipeline}: ${named(streams)}\n${renderFields(fields, '  ')}`
}

function whatText({ streams, alarms: [first], name }: AlarmGroup): string {
  const rule = alarmRule(name)
  return streams.length > 1 && rule ? `${rule.condition}\n${streams[0]}: ${first.latest}` : first.latest
}

function named(streams: readonly string[]): string {
  const unique = [...new Set(streams)]
  const more = unique.length - STREAMS_NAMED
  return `${unique.slice(0, STREAMS_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function sinceText({ raisedUs, resolvedUs }: Alarm, count: number, nowUs: bigint): string {
  const since = `${at(raisedUs)}, ${formatUs((resolvedUs ?? nowUs) - raisedUs)}, raised ${plural(count, 'time')}`
  return resolvedUs === undefined ? since : `${since}; resolved ${at(resolvedUs)}`
}

const at = (us: bigint): string => formatTimestampUs(us, 'Z').replace(/\.\d+/, '')

const CHECK_ID = /^[ar]-/

/** For the first of the streams; the check's id stands where the command wants one. */
function nextCommand({ name, streams, alarms: [first] }: AlarmGroup): string {
  const template = alarmRule(name)?.next ?? 'plimsoll status'
  const table = streams[0] ?? ''
  // A run that saw rows missing has no findings: an audit names them.
  if (template.endsWith(' ID') && !CHECK_ID.test(first.evidence)) return `plimsoll audit ${table}`
  return template.replaceAll('{table}', table).replace(' ID', ` ${first.evidence}`)
}

export function alarmsToJson(groups: readonly AlarmGroup[]): Readonly<Record<string, unknown>> {
  const open = groups.filter(({ alarms: [first] }) => first.resolvedUs === undefined)
  return {
    page_count: open.filter(({ level }) => level === 'page').length,
    notice_count: open.filter(({ level }) => level === 'notice').length,
    groups: groups.map((group) => ({
      name: group.name,
      level: group.level,
      pipeline: group.pipeline,
      streams: group.streams,
      costs: alarmRule(group.name)?.costs ?? null,
      resolves: alarmRule(group.name)?.resolves ?? null,
      next: nextCommand(group),
      runbook: group.name,
      alarms: group.alarms.map((alarm) => ({
        stream: alarm.stream,
        level: alarm.level,
        text: alarm.latest,
        first_cause: alarm.text,
        evidence: alarm.evidence,
        count: alarm.count,
        raised_us: String(alarm.raisedUs),
        seen_us: String(alarm.seenUs),
        resolved_us: alarm.resolvedUs === undefined ? null : String(alarm.resolvedUs),
      })),
    })),
  }
}
