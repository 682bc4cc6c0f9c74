import {
  emptySketch,
  mergeInto,
  type Sketch,
  type SketchJson,
  sketchFromJson,
  sketchToJson,
} from './sketch.ts'

/** The three ways to know lateness (assurance A34 to A36). Never mixed. */
export type LatenessWay = 'late_rows' | 'commit' | 'open'

/** What one stream measured in one way on one day at about one rate (assurance A37). What a way does not know stays 0. */
export interface Entry {
  readonly runs: number
  /** New rows of these runs, and the seconds since the runs before them: together the rate. */
  readonly rows: number
  readonly seconds: number
  /**
   * `commit`: lateness in µs. `late_rows`: the longest it can have been, µs or positions. `open`: ages of writers in µs,
   * length-biased (load-forecast L27).
   */
  readonly sketch: Sketch
  /** `commit`: rows stamped ahead of their commit, and by how much at most, µs. */
  readonly ahead: number
  readonly mostAhead: number
  /** `commit`: rows dated so far back that nobody can have had them open: written with an old date. */
  readonly backdated: number
  /** `late_rows`: the deepest below the watermark, and the largest share of an overlap that one used. */
  readonly deepest: number
  readonly deepestShare: number
  /** `open`: how often was looked. */
  readonly looks: number
  /** `open`: lengths in µs of transactions seen to end, each with weight 1/length, for long ones are seen more often. */
  readonly lengths: Sketch
}

export type EntryJson = Omit<Entry, 'sketch' | 'lengths'> & {
  readonly sketch: SketchJson
  readonly lengths: SketchJson
}

export function emptyEntry(part: Partial<Entry> = {}): Entry {
  return {
    runs: 0,
    rows: 0,
    seconds: 0,
    sketch: emptySketch(),
    ahead: 0,
    mostAhead: 0,
    backdated: 0,
    deepest: 0,
    deepestShare: 0,
    looks: 0,
    lengths: emptySketch(),
    ...part,
  }
}

/** Both together; `into`'s sketches grow. */
export function mergeEntries(into: Entry, other: Entry): Entry {
  mergeInto(into.sketch, other.sketch)
  mergeInto(into.lengths, other.lengths)
  return {
    runs: into.runs + other.runs,
    rows: into.rows + other.rows,
    seconds: into.seconds + other.seconds,
    sketch: into.sketch,
    ahead: into.ahead + other.ahead,
    mostAhead: Math.max(into.mostAhead, other.mostAhead),
    backdated: into.backdated + other.backdated,
    deepest: Math.max(into.deepest, other.deepest),
    deepestShare: Math.max(into.deepestShare, other.deepestShare),
    looks: into.looks + other.looks,
    lengths: into.lengths,
  }
}

/** Rows a second; 0 when nothing was timed. */
export const rateOf = ({ rows, seconds }: Pick<Entry, 'rows' | 'seconds'>): number =>
  seconds > 0 ? rows / seconds : 0

export function entryToJson(entry: Entry): EntryJson {
  return { ...entry, sketch: sketchToJson(entry.sketch), lengths: sketchToJson(entry.lengths) }
}

export function entryFromJson(json: EntryJson): Entry {
  return { ...json, sketch: sketchFromJson(json.sketch), lengths: sketchFromJson(json.lengths) }
}
