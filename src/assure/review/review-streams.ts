import type { StreamSettings } from '../../extract/settings.ts'
import { type CheckAnswer, eachStream } from '../each-stream.ts'
import { gatherFacts, type ReviewMeans } from './gather.ts'
import { checksRan } from './past-checks.ts'
import { type Answered, answerQuestion } from './question.ts'
import { reviewStream, type StreamReview } from './review.ts'

export interface ReviewedStream extends StreamReview {
  readonly answers: readonly Answered[]
}

export type ReviewAnswer = CheckAnswer<ReviewedStream>

/** Reviews streams one after the other; nothing is written at the source (assurance A5, A46). */
export function reviewStreams(
  means: ReviewMeans,
  streams: readonly StreamSettings[],
  multiplier: number,
  done: (review: ReviewedStream) => void,
): Promise<ReviewAnswer> {
  return eachStream(
    undefined,
    streams,
    async (settings) => {
      const { facts, hasKey } = await gatherFacts(means, settings)
      const review = reviewStream(facts, multiplier)
      await noteAlarm(means, settings, review)
      const answers = answerQuestion({
        ...(await checksRan(means.catalog, settings.catalogKey)),
        nowUs: means.catalog.nowUs(),
        hasKey,
        retentionKnown: facts.retention !== undefined,
      })
      return { ...review, answers }
    },
    done,
  )
}

/** `review_breaks` stands until the next review in which nothing breaks (assurance A59). */
async function noteAlarm(
  { catalog }: ReviewMeans,
  { catalogKey }: StreamSettings,
  { rows, breaking }: StreamReview,
): Promise<void> {
  if (breaking.length === 0) return catalog.resolveAlarm(catalogKey, 'review_breaks')
  const lines = rows
    .filter(({ name }) => breaking.includes(name))
    .map(({ name, because, remedy }) => `${name}: ${because} (${remedy})`)
  return catalog.raiseAlarm(catalogKey, 'review_breaks', lines.join('; '), JSON.stringify(breaking))
}
