import type { Session } from './sessions.ts'

/**
 * The one row of a stage that makes a statement fail, as a subquery, or undefined when no single row does. Tries halves,
 * so it costs about as much as the statement itself. The savepoint `plimsoll_try` must stand; everything after it is
 * rolled back.
 */
export async function findCulprit(
  session: Session,
  stage: string,
  rowCount: number,
  attempt: (source: string) => Promise<unknown>,
): Promise<string | undefined> {
  const part = (offset: number, count: number) =>
    `(SELECT * FROM ${stage} ORDER BY ctid OFFSET ${offset} LIMIT ${count})`
  const fails = async (offset: number, count: number) => {
    const failed = await attempt(part(offset, count)).then(
      () => false,
      () => true,
    )
    await session.query('ROLLBACK TO SAVEPOINT plimsoll_try')
    return failed
  }
  await session.query('ROLLBACK TO SAVEPOINT plimsoll_try')
  let [offset, count] = [0, rowCount]
  while (count > 1) {
    const half = Math.ceil(count / 2)
    if (await fails(offset, half)) count = half
    else [offset, count] = [offset + half, count - half]
  }
  return (await fails(offset, 1)) ? part(offset, 1) : undefined
}
