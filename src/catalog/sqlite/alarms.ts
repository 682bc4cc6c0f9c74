import type { Alarm } from '../catalog.ts'
import { atomically, catalogNowUs, type Db, reading } from './database.ts'

const ALARM = `SELECT id, stream, name, text, evidence, raised_us AS raisedUs, resolved_us AS resolvedUs FROM alarm`

/** Raises once: while an alarm of that name and stream is open it only gets the new evidence. */
export function raiseAlarm(db: Db, stream: string, name: string, text: string, evidence: string): void {
  atomically(db, () => {
    const again = 'UPDATE alarm SET evidence = ? WHERE stream = ? AND name = ? AND resolved_us IS NULL'
    if (db.prepare(again).run(evidence, stream, name).changes > 0) return
    insertAlarm(db, { stream, name, text, evidence, raisedUs: catalogNowUs(db), resolvedUs: undefined })
  })
}

export function insertAlarm(db: Db, alarm: Omit<Alarm, 'id'>): void {
  const sql =
    'INSERT INTO alarm (stream, name, text, evidence, raised_us, resolved_us) VALUES (?, ?, ?, ?, ?, ?)'
  const { stream, name, text, evidence, raisedUs, resolvedUs } = alarm
  db.prepare(sql).run(stream, name, text, evidence, raisedUs, resolvedUs ?? null)
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
  return rows.map((row) => ({ ...row, id: Number(row.id), resolvedUs: row.resolvedUs ?? undefined }))
}

type AlarmRow = Omit<Alarm, 'id' | 'resolvedUs'> & { id: bigint; resolvedUs: bigint | null }
