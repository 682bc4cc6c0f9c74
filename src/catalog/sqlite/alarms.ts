import { type AlarmLevel, alarmLevel } from '../../kernel/alarm.ts'
import type { Alarm } from '../catalog.ts'
import { atomically, catalogNowUs, type Db, reading } from './database.ts'

const ALARM = `SELECT id, stream, name, level, text, latest, evidence, count, raised_us AS raisedUs, seen_us AS seenUs,
  resolved_us AS resolvedUs FROM alarm`

/** Raises once: while an alarm of that name and stream is open it is counted, and only its first cause stays. */
export function raiseAlarm(
  db: Db,
  stream: string,
  name: string,
  text: string,
  evidence: string,
  level: AlarmLevel = alarmLevel(name),
): void {
  atomically(db, () => {
    const nowUs = catalogNowUs(db)
    const again = `UPDATE alarm SET latest = ?, evidence = ?, level = ?, seen_us = ?, count = count + 1
      WHERE stream = ? AND name = ? AND resolved_us IS NULL`
    if (db.prepare(again).run(text, evidence, level, nowUs, stream, name).changes > 0) return
    const times = { raisedUs: nowUs, seenUs: nowUs, resolvedUs: undefined }
    insertAlarm(db, { stream, name, level, text, latest: text, evidence, count: 1, ...times })
  })
}

export function insertAlarm(db: Db, alarm: Omit<Alarm, 'id'>): void {
  const sql = `INSERT INTO alarm (stream, name, level, text, latest, evidence, count, raised_us, seen_us, resolved_us)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  const { stream, name, level, text, latest, evidence, count, raisedUs, seenUs, resolvedUs } = alarm
  db.prepare(sql).run(
    stream,
    name,
    level,
    text,
    latest,
    evidence,
    count,
    raisedUs,
    seenUs,
    resolvedUs ?? null,
  )
}

export function resolveAlarm(db: Db, stream: string, name: string): void {
  atomically(db, () => {
    const sql = 'UPDATE alarm SET resolved_us = ? WHERE stream = ? AND name = ? AND resolved_us IS NULL'
    db.prepare(sql).run(catalogNowUs(db), stream, name)
  })
}

/** Oldest first. */
export function listAlarms(db: Db, openOnly: boolean): readonly Alarm[] {
  const sql = `${ALARM} WHERE NOT ? OR resolved_us IS NULL ORDER BY id`
  const rows = reading(db, () => db.prepare(sql).all(openOnly ? 1 : 0)) as AlarmRow[]
  return rows.map((row) => ({
    ...row,
    id: Number(row.id),
    count: Number(row.count),
    resolvedUs: row.resolvedUs ?? undefined,
  }))
}

type AlarmRow = Omit<Alarm, 'id' | 'count' | 'resolvedUs'> & {
  id: bigint
  count: bigint
  resolvedUs: bigint | null
}
