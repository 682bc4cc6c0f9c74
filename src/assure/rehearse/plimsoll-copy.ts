import type { Engine } from '../../extract/engine.ts'
import { readRecord } from '../../extract/record-view.ts'
import type { StreamSettings } from '../../extract/settings.ts'
import { openCheck } from '../check-session.ts'
import type { History, Landed } from './history.ts'

const KEYS_AT_ONCE = 1_000
const PAGE = 1_000

/** What stands at the destination, and the claim on it, each row as it is found by its key: doubles too. */
export async function writeCopy(engine: Engine, settings: StreamSettings, history: History): Promise<void> {
  const check = await openCheck(engine, settings)
  const { look, claim } = await engine.destination.openLook({
    table: check.table,
    plan: check.plan,
    ...check.limits,
  })
  const [key, version] = ['id', 'version'].map((name) =>
    check.plan.columns.findIndex((column) => column.name === name),
  )
  const rows: Landed[] = []
  try {
    for await (const batch of look.rows({ rows: 'all' }, 'position')) {
      const keyTexts = [...new Set(batch.map(({ keyText }) => keyText))]
      for (let at = 0; at < keyTexts.length; at += KEYS_AT_ONCE) {
        const found = await look.find(keyTexts.slice(at, at + KEYS_AT_ONCE), 'position')
        for (const { texts } of found) rows.push([plain(texts[key!]!), plain(texts[version!]!)])
      }
    }
  } finally {
    await look.close()
  }
  const watermark = claim?.watermark
  history.add({ kind: 'copy', watermarkUs: watermark ? String(watermark.value) : null, rows })
}

/** A canonical text says how long it is (spec F10); the history does not. */
const plain = (text: string): string => text.replace(/^v\d+:/, '')

/** Plimsoll's runs from its own records. */
export async function writeRuns(
  engine: Engine,
  { catalogKey }: StreamSettings,
  history: History,
): Promise<void> {
  for (let after = 0; ; ) {
    const records = await engine.catalog.recordsAfter(catalogKey, after, PAGE)
    for (const record of records) {
      const { kind, outcome, closed_us, watermark_after, counts } = readRecord(record)
      if (kind !== 'run' && kind !== 'first_load') continue
      history.add({
        kind: 'run',
        outcome: outcome ?? 'unknown',
        closedUs: closed_us ?? '0',
        watermarkUs: watermark_after ? String(watermark_after.value) : null,
        rowsRead: counts?.rows_read ?? 0,
      })
    }
    if (records.length < PAGE) return
    after = records.at(-1)!.sequence
  }
}
