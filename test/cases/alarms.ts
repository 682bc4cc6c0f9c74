import type { Scene } from './scene.ts'

/** Alarms of the scene's stream that nothing has resolved. */
export async function openAlarms(scene: Scene): Promise<{ name: string; text: string }[]> {
  const alarms = await scene.engine.catalog.alarms(true)
  return alarms.filter((alarm) => alarm.stream === scene.settings.catalogKey)
}
