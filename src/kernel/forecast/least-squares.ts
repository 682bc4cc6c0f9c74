/**
 * The coefficients that fit `Σ cᵢ·columnᵢ` to `target` best. Columns are scaled to their largest value first, for rows of
 * a table and seconds differ by many powers of ten; one that the others explain gets 0.
 */
export function leastSquares(
  columns: readonly (readonly number[])[],
  target: readonly number[],
): readonly number[] {
  const scales = columns.map((column) => column.reduce((most, x) => Math.max(most, Math.abs(x)), 0) || 1)
  const scaled = columns.map((column, i) => column.map((x) => x / scales[i]!))
  const matrix = scaled.map((a) => [...scaled.map((b) => dot(a, b)), dot(a, target)])
  return eliminate(matrix).map((value, i) => value / scales[i]!)
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, x, i) => sum + x * b[i]!, 0)

const SINGULAR = 1e-9

/** Solves the normal equations by elimination with pivots; a dependent column's coefficient is 0. */
function eliminate(matrix: number[][]): number[] {
  const size = matrix.length
  const pivots: number[] = []
  const free = new Set(matrix.keys())
  const largest = matrix.map((row, i) => Math.abs(row[i]!))
  for (let column = 0; column < size; column++) {
    const row = [...free].sort((a, b) => Math.abs(matrix[b]![column]!) - Math.abs(matrix[a]![column]!))[0]
    if (row === undefined || Math.abs(matrix[row]![column]!) <= SINGULAR * largest[column]!) continue
    free.delete(row)
    pivots[column] = row
    for (let other = 0; other < size; other++) {
      if (other === row) continue
      const factor = matrix[other]![column]! / matrix[row]![column]!
      for (let i = 0; i <= size; i++) matrix[other]![i]! -= factor * matrix[row]![i]!
    }
  }
  return Array.from({ length: size }, (_, column) => {
    const row = pivots[column]
    return row === undefined ? 0 : matrix[row]![size]! / matrix[row]![column]!
  })
}
