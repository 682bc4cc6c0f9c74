import { quoteIdentifier, quoteLiteral, quoteTable } from '../../../kernel/sql-text.ts'
import type { Looked, WallTimeFigures } from '../../../sources/diagnosis.ts'
import { type Check, judge, ok } from '../check.ts'
import type { TableContext } from '../table-context.ts'
import { amount, yamlWord } from '../words.ts'

/** L7: a position without a zone repeats an hour each autumn, unless its zone is one that never does. */
export function wallTime(context: TableContext, looked: Looked<WallTimeFigures | undefined>): Check {
  return judge('L7', looked, (figures) => {
    const { table, order, zoneKnown, engine } = context
    if (figures === undefined) return ok(`The positions of ${table} are moments, whatever the zone.`)
    const { quarterHours, fold } = figures
    // A text is read as UTC. One behind may just say that nobody wrote for a while.
    if (engine === 'sqlite' && (quarterHours ?? 0) <= 0) {
      return ok(`No ${order.column} of ${table} is ahead of UTC, in which texts are read.`)
    }
    const known = engine !== 'sqlite' && zoneKnown
    return {
      severity: known ? 'note' : 'blocker',
      sentence: `${order.column} has no zone and ${runs(figures)}; ${repeats(figures, context)}.`,
      remedy: remedy(context, figures),
      figures: {
        zone: zoneKnown ? (order.zone ?? '') : '',
        quarter_hours: quarterHours === undefined ? '' : String(quarterHours),
        repeated_hour: fold ? `${fold.date} ${fold.hour}` : '',
        repeated_rows: fold ? String(fold.rowCount) : '',
      },
    }
  })
}

function runs({ quarterHours }: WallTimeFigures): string {
  if (quarterHours === undefined) return 'has no row that is new enough to show one'
  return `runs ${quarterHours} quarter hours from UTC`
}

function repeats({ fold }: WallTimeFigures, { zoneKnown, order, engine }: TableContext): string {
  if (fold) return `${fold.hour} repeats on ${fold.date} with ${amount(fold.rowCount)} rows`
  return zoneKnown && engine !== 'sqlite'
    ? `no hour repeats in ${order.zone ?? 'UTC'}`
    : 'which hour repeats is not known'
}

function remedy(context: TableContext, { quarterHours }: WallTimeFigures): string {
  const { order, zoneKnown, engine, shape } = context
  if (engine === 'sqlite') return `stamp with strftime('%Y-%m-%d %H:%M:%f', 'now'), without 'localtime'`
  const c = quoteIdentifier(order.column)
  if (!zoneKnown) {
    const zone = quarterHours === 0 ? 'UTC' : '<the zone its writers mean>'
    return `position: { column: ${yamlWord(order.column)}, zone: ${yamlWord(zone)} }`
  }
  return `ALTER TABLE ${quoteTable(shape.table)} ALTER COLUMN ${c} TYPE timestamptz USING ${c} AT TIME ZONE ${quoteLiteral(order.zone ?? 'UTC')};`
}
