/** A broken invariant: a defect of ours. Nobody catches it to go on; the program ends with exit code 1. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Stops the program when something holds not that must hold. Stays on in production. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** Makes the compiler demand that every case of a union was handled. */
export function unreachable(value: never): never {
  throw new InvariantError(`unhandled case: ${JSON.stringify(value)}`)
}
