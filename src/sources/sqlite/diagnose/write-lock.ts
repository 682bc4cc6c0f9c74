import { accessSync, constants } from 'node:fs'
import { PlimsollError } from '../../../kernel/errors.ts'
import type { DiagnosisLimits, LatenessFigures } from '../../diagnosis.ts'
import type { Address } from '../address.ts'
import { openFile, tryUntilFree } from '../connection.ts'

/**
 * L1: stamps are made under the write lock, so how long the lock is not to be had is the lateness of the writer at work.
 * It is given back at once, and nothing is written.
 */
export async function lookAtWriteLock(
  address: Address,
  { queryMaxMs }: DiagnosisLimits,
): Promise<LatenessFigures> {
  if (address.readOnly || !isWritable(address.file)) {
    throw new PlimsollError(
      'NOT_SUPPORTED',
      'the file cannot be written from here, so its write lock tells nothing',
      {
        hint: 'Look at it where it is written.',
      },
    )
  }
  const db = openFile(address, false)
  try {
    const answer = await tryUntilFree(db, queryMaxMs, () => {
      db.exec('BEGIN IMMEDIATE')
      db.exec('ROLLBACK')
    })
    return { way: 'write_lock', waitedUs: BigInt(Math.round(answer.waitedMs * 1000)), released: answer.free }
  } finally {
    db.close()
  }
}

function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}
