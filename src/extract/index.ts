export { type BackfillRange, backfillStream } from './backfill.ts'
export { choose } from './choose.ts'
export { type Engine, type EngineClock, MISTAKES, type Mistake } from './engine.ts'
export type { ExtractEvent } from './events.ts'
export { type PipelineResult, runPipeline } from './pipeline.ts'
export { planStream } from './plan.ts'
export type { RunCounts } from './receipts.ts'
export type { StreamPlan, StreamResult } from './results.ts'
export { type RewindTarget, rewindStream } from './rewind.ts'
export { runStream } from './run-stream.ts'
export {
  DEFAULT_FENCE,
  DEFAULT_LIMITS,
  type DeleteMode,
  type Limits,
  type StreamSettings,
} from './settings.ts'
export { skipStream } from './skip.ts'
