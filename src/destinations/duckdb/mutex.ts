/** Runs tasks one after another, in the order they came. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task)
    this.#last = result.catch(() => {})
    return result
  }
}
