import type { Finding } from '../../kernel/finding.ts'

/** Rows that share one explanation are told together (spec A21). */
export type Story =
  | 'extract_wrong'
  | 'we_chose'
  | 'backdated'
  | 'destination_loss'
  | 'unorderable'
  | 'unbumped'
  | 'transit'
  | 'extra'
  | 'duplicate'

export function storyOf({ verdict, mechanism }: Pick<Finding, 'verdict' | 'mechanism'>): Story {
  switch (verdict) {
    case 'BACKDATED':
      return 'backdated'
    case 'UNBUMPED':
      return 'unbumped'
    case 'TRANSIT':
      return 'transit'
    case 'EXTRA':
    case 'KEY_CHANGED':
      return 'extra'
    case 'DUPLICATE':
      return 'duplicate'
    case 'UNORDERABLE':
    case 'FUTURE':
      return 'unorderable'
    default:
      return STORY_OF_MECHANISM[mechanism]
  }
}

const STORY_OF_MECHANISM: Readonly<Record<Finding['mechanism'], Story>> = {
  hole: 'we_chose',
  decree: 'we_chose',
  destination_loss: 'destination_loss',
  lane: 'unorderable',
  late_commit: 'extract_wrong',
  backdated: 'backdated',
  replica_lag: 'extract_wrong',
  tie: 'extract_wrong',
  unknown: 'extract_wrong',
}

export interface SentenceFacts {
  readonly count: number
  readonly positionColumn: string
  /** For decrees and holes: which session or range, when. */
  readonly chosen: string | undefined
  readonly landedApart: boolean
}

/** The one line from which whoever is paged sees who is wrong (spec A21). */
export function sentence(story: Story, facts: SentenceFacts): string {
  const { count, positionColumn } = facts
  const rows = `${count} ${count === 1 ? 'row' : 'rows'}`
  const [was, it] = count === 1 ? ['was', 'it'] : ['were', 'them']
  const has = count === 1 ? 'has' : 'have'
  switch (story) {
    case 'extract_wrong':
      return `THE EXTRACT IS WRONG: it passed ${rows} and will not come back for ${it}.`
    case 'we_chose':
      return `WE CHOSE THIS: going on without ${facts.chosen ?? 'a part of the range'} left ${rows} behind.`
    case 'backdated':
      return `THE EXTRACT IS RIGHT: somebody wrote ${rows} with an old date after we had passed it.`
    case 'destination_loss':
      return `THE EXTRACT IS RIGHT: ${rows} ${was} landed and ${has} vanished from the destination.`
    case 'unorderable':
      return `${rows} cannot be ordered; ${count === 1 ? 'it is' : 'they are'} ${facts.landedApart ? 'landed apart' : 'not landed'}.`
    case 'unbumped':
      return `${rows} changed without a new ${positionColumn}: no reader by position could see it.`
    case 'transit':
      return `${rows} changed on the way: the destination holds another value than the source sent.`
    case 'extra':
      return `${rows} ${was} deleted at the source; the destination still shows ${it}.`
    case 'duplicate':
      return `${rows} ${count === 1 ? 'stands' : 'stand'} more than once at the destination.`
  }
}

/** The runbook and alarm of each story (spec A59). */
export const ALARM_OF: Readonly<Record<Story, string>> = {
  extract_wrong: 'rows_lost',
  we_chose: 'rows_lost',
  backdated: 'rows_backdated',
  destination_loss: 'destination_lost_rows',
  unorderable: 'rows_unorderable',
  unbumped: 'rows_unbumped',
  transit: 'rows_unbumped',
  extra: 'rows_extra',
  duplicate: 'rows_lost',
}
