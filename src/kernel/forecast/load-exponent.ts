/** How a figure grows between two multiples of the load: 1 like the load, 2 a hundredfold at ten times (load-forecast L4). */
export function loadExponent(at1: number, figure1: number, at2: number, figure2: number): number | undefined {
  if (figure1 <= 0 || figure2 <= 0) return undefined
  return Math.log(figure2 / figure1) / Math.log(at2 / at1)
}
