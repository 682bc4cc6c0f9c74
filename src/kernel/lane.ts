/** Rows without a place in the order (spec E43). They are delivered, counted, and move nothing. */
export const LANES = ['null', 'infinity', 'neg_infinity', 'zero', 'future', 'bc', 'malformed'] as const
export type Lane = (typeof LANES)[number]
