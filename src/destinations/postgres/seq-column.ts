import { quoteIdentifier, quoteLiteral } from '../../kernel/sql-text.ts'
import { SEQ_COLUMN } from './names.ts'

/** Set for one transaction by a direct landing, read by the column's default. */
export const SEQ_SETTING = 'plimsoll.read_seq'

/**
 * `_plimsoll_seq`, filled during a COPY that knows nothing of it. Rows of anybody else have no readSeq and are refused.
 * A default changed in each landing would lock readers out of the table.
 */
export const SEQ_DEFINITION = `${quoteIdentifier(SEQ_COLUMN)} bigint NOT NULL DEFAULT nullif(current_setting(${quoteLiteral(SEQ_SETTING)}, true), '')::bigint`
