import type { Alarm, Catalog } from '../../catalog/catalog.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { type AlarmFacts, type AlarmJudge, gatherFacts } from './alarm-facts.ts'
import { CHANGE_RULES } from './change-rules.ts'
import { RANGE_RULES } from './range-rules.ts'
import { RUN_RULES } from './run-rules.ts'

const RULES: Readonly<Record<string, AlarmJudge>> = { ...RUN_RULES, ...CHANGE_RULES, ...RANGE_RULES }

/**
 * Raises what has become true of these streams and resolves what is over by its own rule (spec A59): after runs, and when
 * somebody looks, for silence shows in no run. Something true that is open already is left as it is.
 */
export async function watchStreams(
  catalog: Catalog,
  streams: readonly Pick<StreamSettings, 'stream' | 'catalogKey' | 'limits'>[],
): Promise<void> {
  const shared = {
    nowUs: catalog.nowUs(),
    leases: await catalog.leases(),
    alarms: await catalog.alarms(true),
  }
  for (const settings of streams) {
    const facts = await gatherFacts(catalog, settings, shared)
    if (facts.runs.length === 0) continue
    for (const [name, judge] of Object.entries(RULES))
      await apply(catalog, settings.catalogKey, name, judge, facts)
  }
}

async function apply(
  catalog: Catalog,
  catalogKey: string,
  name: string,
  judge: AlarmJudge,
  facts: AlarmFacts,
): Promise<void> {
  const open = facts.open.get(name)
  const judgement = judge(facts, open)
  if (!judgement) return
  if (judgement.kind === 'resolve') {
    if (open) await catalog.resolveAlarm(catalogKey, name)
    return
  }
  const { text, evidence, level } = judgement
  if (open && isSaid(open, text, level)) return
  await catalog.raiseAlarm(catalogKey, name, text, evidence, level)
}

const isSaid = (open: Alarm, text: string, level: Alarm['level'] | undefined): boolean =>
  open.latest === text && (level === undefined || open.level === level)
