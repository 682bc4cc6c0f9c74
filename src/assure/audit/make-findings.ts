import { formatTimestampUs } from '../../kernel/calendar.ts'
import type { Finding, Verdict } from '../../kernel/finding.ts'
import type { FoundRow } from '../../sources/look.ts'
import type { CheckSession } from '../check-session.ts'
import { columnVerdict } from '../compare/column-verdict.ts'
import { type Dossier, evidenceOf } from './gather-evidence.ts'
import { attribute, type RowEvidence } from './mechanism.ts'
import type { Settled } from './second-look.ts'

export interface FindingContext {
  readonly check: CheckSession
  readonly checkId: string
  readonly generation: number
  readonly dossier: Dossier
  readonly nowUs: string
  readonly firstLookUs: string
  /** Rows as they stand now, by key text; a listed finding has its rows here where they exist. */
  readonly here: ReadonlyMap<string, FoundRow>
  readonly there: ReadonlyMap<string, FoundRow>
}

/** Findings as they are kept (spec A15), each attributed from its own evidence. */
export function makeFindings(context: FindingContext, settled: readonly Settled[]): readonly Finding[] {
  return settled
    .filter(({ judgement, state }) => state !== 'withdrawn' && isVerdict(judgement))
    .map((suspect, index) => makeFinding(context, suspect, `${context.checkId}.${index + 1}`))
}

const isVerdict = (judgement: string): judgement is Verdict =>
  judgement !== 'equal' && judgement !== 'AT_RISK' && judgement !== 'PENDING'

function makeFinding(context: FindingContext, suspect: Settled, id: string): Finding {
  const { check, dossier } = context
  const { keyText, judgement, source, destination } = suspect
  const row = context.here.get(keyText)
  const needsCause = judgement === 'LOST' || judgement === 'STALE'
  const evidence = evidenceOf(check, dossier, source?.position ?? 'N', destination?.position ?? null, row)
  const { mechanism, grade, suggestions } = needsCause
    ? attribute(evidence)
    : ({
        mechanism: judgement === 'UNORDERABLE' ? 'lane' : 'unknown',
        grade: 'none',
        suggestions: [],
      } as const)
  return {
    id,
    checkId: context.checkId,
    stream: check.settings.catalogKey,
    generation: context.generation,
    keyText,
    key: keyForPeople(check, row ?? context.there.get(keyText), keyText),
    verdict: judgement as Verdict,
    mechanism,
    grade,
    state: suspect.state,
    sourcePosition: source?.position ?? null,
    destinationPosition: destination?.position ?? null,
    columns: differingColumns(context, keyText),
    evidence: {
      first_look: when(context.firstLookUs),
      second_look: when(suspect.secondLookUs),
      ...texts(evidence),
      ...(row?.transaction === undefined ? {} : { transaction: row.transaction }),
      ...contentDigest(context, keyText),
      ...(suggestions.length > 0 ? { suggestions: suggestions.join(', ') } : {}),
    },
    foundUs: context.nowUs,
    changedUs: context.nowUs,
    closedBy: null,
  }
}

/** Canonical texts of the key columns; `v3:abc` reads `abc`. */
function keyForPeople(check: CheckSession, row: FoundRow | undefined, keyText: string): readonly string[] {
  const texts = row?.texts.slice(0, check.plan.keyCount)
  return texts ? texts.map((text) => text.replace(/^v\d+:/, '')) : [keyText.replace(/^v\d+:/, '')]
}

function differingColumns(
  { check, here, there }: FindingContext,
  keyText: string,
): readonly { column: string; how: string }[] {
  const [a, b] = [here.get(keyText), there.get(keyText)]
  if (!a || !b) return []
  return check.plan.columns.flatMap(({ name, canonical }, i) =>
    a.texts[i] === b.texts[i]
      ? []
      : [{ column: name, how: columnVerdict(canonical, a.texts[i] ?? 'N', b.texts[i] ?? 'N') }],
  )
}

/** What both rows hold, so that what was accepted is known again from what was spoilt since (spec A15). */
function contentDigest({ check, here, there }: FindingContext, keyText: string): { content_digest?: string } {
  const [a, b] = [here.get(keyText), there.get(keyText)]
  return a && b ? { content_digest: check.engine.digest(JSON.stringify([a.texts, b.texts])) } : {}
}

const when = (us: string): string => (us === '' ? '' : `${formatTimestampUs(BigInt(us))}Z`)

function texts(row: RowEvidence): Record<string, string> {
  const entries: [string, string | undefined][] = [
    ['committed_at', row.committedUs === undefined ? undefined : when(String(row.committedUs))],
    ['dated', row.positionUs === undefined ? undefined : when(String(row.positionUs))],
    ['passed_by', row.pass?.runId],
    ['passed_at', row.pass?.snapshotUs === undefined ? undefined : when(String(row.pass.snapshotUs))],
    ['fence', row.pass?.fenceMethod],
    ['found_equal_at', row.foundEqualUs === undefined ? undefined : when(String(row.foundEqualUs))],
    ['range', row.rangeState],
    ['largest_lateness_us', row.largestLatenessUs === undefined ? undefined : String(row.largestLatenessUs)],
    ['ceiling_us', String(row.ceilingUs)],
  ]
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
