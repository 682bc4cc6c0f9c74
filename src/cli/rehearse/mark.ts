import { createInterface } from 'node:readline/promises'
import { MARK_DAYS } from '../../assure/rehearse/refuse.ts'
import type { PipelineConfig } from '../../config/pipeline-config.ts'
import { PlimsollError } from '../../kernel/errors.ts'
import type { LoadGenerator } from '../../sources/load.ts'
import type { Answer } from '../action.ts'
import type { Terminal } from '../terminal.ts'
import { refuseMark } from './facts.ts'

/**
 * Marks a database for rehearsals after its name was typed in full (assurance A49). `name` is true where it is to be
 * asked for. Throws USAGE where it differs.
 */
export async function markDatabase(
  terminal: Terminal,
  config: PipelineConfig,
  load: LoadGenerator,
  name: string | true,
  days: number,
): Promise<Answer> {
  if (days > MARK_DAYS) {
    throw new PlimsollError('USAGE', `a mark lasts ${MARK_DAYS} days at most, not ${days}`)
  }
  const identity = await load.identity()
  await refuseMark(config, identity)
  const typed = name === true ? await askName(identity.database) : name
  if (typed !== identity.database) {
    throw new PlimsollError('USAGE', `the database is not called ${typed || 'that'}: nothing was marked`, {
      hint: 'Type the name of the database in full, as the server knows it.',
    })
  }
  const mark = await load.mark(days)
  const until = `${Number((BigInt(mark.expiresUs) - BigInt(mark.nowUs)) / 3_600_000_000n + 1n)} hours`
  terminal.data(`${mark.database} is marked: plimsoll rehearse may load it for ${until} from now.`)
  const { database, identity: server, timeline, expiresUs } = mark
  return { json: { marked: { database, identity: server, timeline, expires_us: expiresUs } } }
}

async function askName(database: string): Promise<string> {
  if (process.stdin.isTTY !== true) {
    throw new PlimsollError('USAGE', 'there is nobody to type the name of the database', {
      hint: 'plimsoll rehearse --mark DATABASE',
    })
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const question = `${database} will be written to as hard as its server can take. Its data are not kept safe.\nType the name of the database to mark it: `
    return (await lines.question(question)).trim()
  } finally {
    lines.close()
  }
}
