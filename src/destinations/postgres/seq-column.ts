import { quoteIdentifier } from '../../kernel/sql-text.ts'
import { SEQ_COLUMN } from './names.ts'

/** Set for one transaction by a direct landing, read by the column's default. */
export const SEQ_SETTING = 'plimsoll.read_seq'

/** Makes the readSeq of a direct landing; called immutable, so that a COPY asks once and not for each row (12 %). */
export const SEQ_DEFAULT = 'plimsoll.read_seq()'

/**
 * `_plimsoll_seq`, filled during a COPY that knows nothing of it. Rows of anybody else have no readSeq and are refused.
 * A default changed in each landing would lock readers out of the table.
 */
export const SEQ_DEFINITION = `${quoteIdentifier(SEQ_COLUMN)} bigint NOT NULL DEFAULT ${SEQ_DEFAULT}`
