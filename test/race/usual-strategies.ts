/** A row as text: key, the position's text, the whole content. */
export interface SeenRow {
  readonly key: string
  readonly position: string
  readonly content: string
}

/** Reads rows in position order; the SQL text of the predicate is the strategy's own. */
export type Query = (where: string) => Promise<readonly SeenRow[]>

/** One of the ways in which tools usually read changed rows, landing into a map by key (so doubles cannot hide losses). */
export interface UsualStrategy {
  readonly name: string
  readonly landed: Map<string, string>
  run(query: Query): Promise<void>
}

/** `column > the largest value seen`. */
export function greaterThan(column: string): UsualStrategy {
  return byLargestSeen('>', column, '>')
}

/** `column >= the largest value seen`, deduplicated by key. */
export function atLeast(column: string): UsualStrategy {
  return byLargestSeen('>=', column, '>=')
}

function byLargestSeen(name: string, column: string, comparison: string): UsualStrategy {
  const landed = new Map<string, string>()
  let largest: string | undefined
  return {
    name,
    landed,
    async run(query) {
      const where = largest === undefined ? 'true' : `${column} ${comparison} '${largest}'`
      for (const row of await query(where)) {
        landed.set(row.key, row.content)
        if (largest === undefined || row.position > largest) largest = row.position
      }
    },
  }
}

/** `column > the last bound and column <= now − lag`, the bound being the extractor's own. `now` is the server's, in SQL. */
export function fixedLag(
  column: string,
  boundSql: string,
  read: (sql: string) => Promise<string>,
): UsualStrategy {
  const landed = new Map<string, string>()
  let last: string | undefined
  return {
    name: 'fixed lag',
    landed,
    async run(query) {
      const bound = await read(boundSql)
      const above = last === undefined ? 'true' : `${column} > '${last}'`
      for (const row of await query(`${above} and ${column} <= '${bound}'`)) landed.set(row.key, row.content)
      last = bound
    },
  }
}

export interface Difference {
  lost: number
  stale: number
}

/** Rows of the source that are absent, and rows that are another version. */
export function compare(source: readonly SeenRow[], landed: ReadonlyMap<string, string>): Difference {
  const difference = { lost: 0, stale: 0 }
  for (const { key, content } of source) {
    const found = landed.get(key)
    if (found === undefined) difference.lost++
    else if (found !== content) difference.stale++
  }
  return difference
}
