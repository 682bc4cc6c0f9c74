import { type Command, Option } from 'commander'
import { parseDurationMs } from '../../config/duration.ts'
import type { StreamSettings } from '../../extract/index.ts'
import { PlimsollError } from '../../kernel/errors.ts'

/** How long suspects are waited for; the settings of the table stand behind it (spec A11). */
export function secondLookOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--second-look <duration>',
      'look at suspects again after this long at the latest (default: after the next run, at most 10m)',
    ),
  )
}

export function withSecondLook(
  streams: readonly StreamSettings[],
  duration: string | undefined,
): readonly StreamSettings[] {
  if (duration === undefined) return streams
  const ms = parseDurationMs(duration)
  if (ms === undefined) {
    throw new PlimsollError('USAGE', `${duration} is no duration`, { hint: 'Write 10s, 5m or 1h.' })
  }
  return streams.map((each) => {
    const secondLookMs = Math.min(each.limits.secondLookMs, ms)
    return { ...each, limits: { ...each.limits, secondLookMs, secondLookMaxMs: ms } }
  })
}
