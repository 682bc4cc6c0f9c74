import type { Finding } from '../../kernel/finding.ts'
import { ALARM_OF, type Story, sentence, storyOf } from './sentence.ts'

/** One alert a story and mechanism: everything a paged person needs, in the order they need it (spec A21). */
export interface Alert {
  readonly story: Story
  readonly alarm: string
  readonly verdict: string
  readonly mechanism: string
  readonly stream: string
  readonly count: number
  readonly sentence: string
  readonly lines: readonly { readonly name: string; readonly text: string }[]
}

export interface AlertContext {
  readonly stream: string
  readonly positionColumn: string
  readonly watermark: string
  readonly checkId: string
}

const KEYS_SHOWN = 5

/** Alerts for the findings of one stream; rows of one explanation are one alert. */
export function alertsOf(findings: readonly Finding[], context: AlertContext): readonly Alert[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    const name = `${storyOf(finding)} ${finding.verdict} ${finding.mechanism}`
    const group = groups.get(name)
    if (group) group.push(finding)
    else groups.set(name, [finding])
  }
  return [...groups.values()].map((group) => alertOf(group, context))
}

function alertOf(group: readonly Finding[], context: AlertContext): Alert {
  const first = group[0]!
  const story = storyOf(first)
  const alarm = ALARM_OF[story]
  const facts = {
    count: group.length,
    positionColumn: context.positionColumn,
    chosen: first.evidence.chosen,
    landedApart: first.destinationPosition !== null,
  }
  return {
    story,
    alarm,
    verdict: first.verdict,
    mechanism: first.mechanism,
    stream: context.stream,
    count: group.length,
    sentence: sentence(story, facts),
    lines: [
      { name: 'why', text: why(first, group) },
      { name: 'which', text: which(group, context.checkId) },
      { name: 'since', text: since(first) },
      { name: 'claim', text: claim(group, context) },
      { name: 'repair', text: repair(story, context) },
      { name: 'runbook', text: alarm },
    ],
  }
}

/** The claim never moves back; what it answers from the earliest of these rows on does (spec A15, A54). */
function claim(group: readonly Finding[], { stream, watermark }: AlertContext): string {
  const { verdict } = group[0]!
  if (verdict !== 'LOST' && verdict !== 'STALE') return `${stream} stays at ${watermark}`
  const dates = group.map(({ evidence }) => evidence.dated).filter((date) => date !== undefined)
  const from = dates.length < group.length ? '' : ` later than ${dates.sort()[0]}`
  return `${stream} stays at ${watermark}, marked "${group.length} missing"; complete --through${from || ' any time'} answers no`
}

function why(first: Finding, group: readonly Finding[]): string {
  const { evidence, mechanism, grade, verdict, columns } = first
  if (columns.length > 0 && (verdict === 'UNBUMPED' || verdict === 'TRANSIT')) {
    return `${columnsOf(group)}${evidence.committed_at ? `; written ${evidence.committed_at}` : ''}`
  }
  if (verdict === 'EXTRA') {
    const dated = evidence.dated ? `; dated ${evidence.dated}` : ''
    return `absent from the source at ${evidence.first_look} and again at ${evidence.second_look}${dated}`
  }
  const parts = [
    evidence.committed_at && `committed ${evidence.committed_at}`,
    evidence.dated && `dated ${evidence.dated}`,
    evidence.passed_at && `passed ${evidence.passed_at}`,
    evidence.suggestions && `could be ${evidence.suggestions}`,
    !evidence.committed_at &&
      (verdict === 'LOST' || verdict === 'STALE') &&
      'the source keeps no commit times (track_commit_timestamp), so the cause cannot be shown',
  ].filter(Boolean)
  const named = grade === 'none' ? mechanism : `${mechanism} (${grade})`
  return `${named}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
}

function columnsOf(group: readonly Finding[]): string {
  const counts = new Map<string, number>()
  for (const { columns } of group) {
    for (const { column, how } of columns) {
      const text = `${column}: ${how}`
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  }
  const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3)
  return most.map(([text, count]) => `${text} (${count} ${count === 1 ? 'row' : 'rows'})`).join(', ')
}

function which(group: readonly Finding[], checkId: string): string {
  const keys = group.slice(0, KEYS_SHOWN).map(({ key }) => key.join(', '))
  const more = group.length > KEYS_SHOWN ? ` and ${group.length - KEYS_SHOWN} more` : ''
  return `key ${keys.join('; ')}${more}   findings ${checkId}`
}

function since({ evidence }: Finding): string {
  const passed = evidence.passed_by ? `passed ${evidence.passed_at ?? ''} by run ${evidence.passed_by}; ` : ''
  return `${passed}found ${evidence.second_look || evidence.first_look}`
}

function repair(story: Story, { stream, checkId }: AlertContext): string {
  const deletes = story === 'extra' ? ' --deletes mark' : ''
  return `plimsoll repair ${stream} --findings ${checkId}${deletes}   dry run; add --apply`
}
