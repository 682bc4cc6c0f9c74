import type { StreamSettings } from '../../extract/settings.ts'
import { type NotLookedAt, notLooked } from '../not-looked.ts'
import { gatherFacts, type ReviewMeans } from './gather.ts'
import { checksRan } from './past-checks.ts'
import { type Answered, answerQuestion } from './question.ts'
import { reviewStream, type StreamReview } from './review.ts'

export interface ReviewedStream extends StreamReview {
  readonly answers: readonly Answered[]
}

export interface ReviewAnswer {
  readonly streams: readonly ReviewedStream[]
  readonly notLooked: readonly NotLookedAt[]
}

/** Reviews streams one after the other; nothing is written at the source (assurance A5, A46). */
export async function reviewStreams(
  means: ReviewMeans,
  streams: readonly StreamSettings[],
  multiplier: number,
  done: (review: ReviewedStream) => void,
): Promise<ReviewAnswer> {
  const reviews: ReviewedStream[] = []
  const failures: NotLookedAt[] = []
  for (const settings of streams) {
    try {
      const { facts, hasKey } = await gatherFacts(means, settings)
      const review = reviewStream(facts, multiplier)
      await noteAlarm(means, settings, review)
      const answers = answerQuestion({
        ...(await checksRan(means.catalog, settings.catalogKey)),
        nowUs: means.catalog.nowUs(),
        hasKey,
        retentionKnown: facts.retention !== undefined,
      })
      const reviewed = { ...review, answers }
      reviews.push(reviewed)
      done(reviewed)
    } catch (error) {
      failures.push(notLooked(settings.stream, error))
    }
  }
  return { streams: reviews, notLooked: failures }
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
