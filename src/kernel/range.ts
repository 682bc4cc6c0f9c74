import {
  comparePositions,
  type Position,
  type PositionJson,
  positionFromJson,
  positionToJson,
} from './position.ts'

/** Half-open `[lower, upper)`. `lower` is absent only in a generation's first range (printed `-∞`, spec E13). */
export interface Range {
  readonly lower: Position | undefined
  readonly upper: Position
}

export interface RangeJson {
  readonly lower: PositionJson | null
  readonly upper: PositionJson
}

export function isEmptyRange(range: Range): boolean {
  return range.lower !== undefined && comparePositions(range.lower, range.upper) >= 0
}

export function rangeContains(range: Range, position: Position): boolean {
  return (
    (range.lower === undefined || comparePositions(range.lower, position) <= 0) &&
    comparePositions(position, range.upper) < 0
  )
}

export function rangeToJson(range: Range): RangeJson {
  return { lower: range.lower ? positionToJson(range.lower) : null, upper: positionToJson(range.upper) }
}

export function rangeFromJson(json: RangeJson): Range {
  return { lower: json.lower ? positionFromJson(json.lower) : undefined, upper: positionFromJson(json.upper) }
}
