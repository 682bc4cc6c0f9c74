import type { Looked, ReachFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { duration, shellWord } from '../words.ts'

const DAY_US = 86_400_000_000n
/** Everything is audited once a week (spec A14); what is found later than this after a loss cannot be repaired. */
const SHORT_US = (2n * 7n + 7n) * DAY_US

/** A45: how far back rows can be brought again from the table itself, and what ends that. */
export function retention(context: TableContext, reach: Looked<ReachFigures | undefined>): Check {
  return judge('retention', reach, (found) => {
    const { table, claim } = context
    if (!found)
      return ok(`${table} has no oldest moment; its rows can be brought again as long as they are there.`)
    const { oldest, oldestUs, nowUs } = found
    const reachUs = nowUs - oldestUs
    const ended = endedBy(context, found)
    const figures = { oldest, reach_us: String(reachUs), ended_by: ended ?? '' }
    const kept = context.appendOnly ? 'everything' : 'the newest version of each row'
    const line = `${table} reaches back to ${oldest} (${duration(reachUs)})`
    if (ended === undefined) return ok(`${line}; nothing ends that: ${kept} can be brought again.`, figures)
    const lagUs = claim?.lagUs ?? 0n
    if (reachUs >= SHORT_US)
      return ok(`${line}, ended by ${ended}: ${kept} can be brought again so far back.`, figures)
    return {
      severity: reachUs < lagUs ? 'blocker' : 'warning',
      sentence:
        reachUs < lagUs
          ? `${line}, ended by ${ended}, and the watermark is ${duration(lagUs)} behind: rows are gone before they are read.`
          : `${line}, ended by ${ended}: a loss found later than that is beyond repair, and all is audited within ${duration(SHORT_US)} only.`,
      remedy: `plimsoll audit ${shellWord(context.stream ?? table)} --full   # more often than the rows are kept, or keep them for ${SHORT_US / DAY_US} days`,
      figures,
    }
  })
}

/** What is known to take old rows away; undefined for nothing. */
function endedBy(
  { oldestBefore }: TableContext,
  { oldestUs, isPartitioned }: ReachFigures,
): string | undefined {
  if (oldestBefore && oldestUs > oldestBefore.oldestUs) {
    return `a purge that moved its oldest row by ${duration(oldestUs - oldestBefore.oldestUs)} in ${oldestBefore.daysAgo} days`
  }
  if (isPartitioned) return 'whoever drops old partitions'
  return undefined
}
