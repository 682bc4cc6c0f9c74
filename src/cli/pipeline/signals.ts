/** The first SIGINT or SIGTERM asks for a clean end, the second ends at once. */
export interface Stopping {
  readonly signal: AbortSignal
  /** 130 or 143 once a signal came. */
  exitCode(): number | undefined
  dispose(): void
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

export function watchSignals(say: (text: string) => void): Stopping {
  const controller = new AbortController()
  let exitCode: number | undefined
  const on = (name: 'SIGINT' | 'SIGTERM') => () => {
    if (exitCode !== undefined) process.exit(EXIT_CODES[name])
    exitCode = EXIT_CODES[name]
    say('stopping after the slice in hand; once more to stop at once')
    controller.abort()
  }
  const handlers = { SIGINT: on('SIGINT'), SIGTERM: on('SIGTERM') }
  process.on('SIGINT', handlers.SIGINT)
  process.on('SIGTERM', handlers.SIGTERM)
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    dispose() {
      process.off('SIGINT', handlers.SIGINT)
      process.off('SIGTERM', handlers.SIGTERM)
    },
  }
}
