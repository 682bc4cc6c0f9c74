import type { AlarmLevel, AlarmName } from '../kernel/alarm.ts'
import { PlimsollError } from '../kernel/errors.ts'
import type { StreamSession } from './stream-session.ts'

/** Error as it stands in a record: code, text, hint; no stack, no secrets. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof PlimsollError) {
    return {
      code: error.code,
      message: error.message,
      hint: error.hint ?? null,
      context: JSON.parse(JSON.stringify(error.context)),
    }
  }
  return { code: 'INTERNAL', message: error instanceof Error ? error.message : String(error) }
}

/** Raises an alarm in the catalog, the record and the events at once. */
export async function raise(
  session: StreamSession,
  name: AlarmName,
  text: string,
  evidence = '',
  level?: AlarmLevel,
): Promise<void> {
  await session.engine.catalog.raiseAlarm(session.settings.catalogKey, name, text, evidence, level)
  session.recorder.alarm(name, text)
  session.engine.emit({ kind: 'alarm', stream: session.settings.stream, name, text })
}
