export type { Alarm, Catalog, Lease, LeaseAnswer, OpenRun, StoredRecord } from './catalog/catalog.ts'
export { type EngineOptions, type OpenPipeline, openPipeline } from './cli/engine.ts'
export { openCatalogIn as openCatalog } from './cli/pipeline/catalog.ts'
export { redactUrl } from './config/connection-url.ts'
export { configJsonSchema } from './config/json-schema.ts'
export { loadConfig } from './config/load.ts'
export { type ConfigOrigin, parseConfig } from './config/parse.ts'
export type { PipelineConfig, PositionConfig, TableConfig } from './config/pipeline-config.ts'
export type {
  Destination,
  DestinationCapabilities,
  DestinationConnector,
  DestinationOptions,
  Landing,
  LandingMode,
  LateRow,
  Prepared,
  Receipt,
  RowClasses,
  StoredClaim,
  TargetTable,
} from './destinations/destination.ts'
export {
  type BackfillRange,
  backfillStream,
  DEFAULT_FENCE,
  DEFAULT_LIMITS,
  type Engine,
  type EngineClock,
  type ExtractEvent,
  type Limits,
  type PipelineResult,
  planStream,
  type RewindTarget,
  type RunCounts,
  rewindStream,
  runPipeline,
  runStream,
  type StreamPlan,
  type StreamResult,
  type StreamSettings,
  skipStream,
} from './extract/index.ts'
export { InvariantError } from './kernel/assert.ts'
export type { Claim } from './kernel/claim.ts'
export {
  type ErrorCode,
  type ErrorDetails,
  type ErrorKind,
  PlimsollError,
  type RetryClass,
} from './kernel/errors.ts'
export type { Decree, Fence, FenceMethod, LogPosition, Witness } from './kernel/fence.ts'
export { LANES, type Lane } from './kernel/lane.ts'
export type { LedgerEntry } from './kernel/ledger.ts'
export type { PositionOrder, Stamper, TextEncoding } from './kernel/order.ts'
export type { Outcome } from './kernel/outcome.ts'
export type { OverlapPolicy } from './kernel/overlap.ts'
export {
  comparePositions,
  type Position,
  type PositionJson,
  type PositionKind,
  positionFromJson,
  positionToJson,
} from './kernel/position.ts'
export { formatPosition, parsePosition } from './kernel/print.ts'
export type { ProofLevel } from './kernel/proof.ts'
export type { Range, RangeJson } from './kernel/range.ts'
export type { LogicalType, ScalarName } from './kernel/types.ts'
export type {
  ColumnShape,
  ConnectorContext,
  ConnectorMemory,
  FencePolicy,
  FenceRequest,
  KeyFact,
  OrderDeclaration,
  PositionFact,
  QueryPlan,
  Reader,
  ReaderRequest,
  ReadScope,
  RowStream,
  ServerIdentity,
  Source,
  SourceCapabilities,
  SourceConnector,
  SourceOptions,
  TableRef,
  TableShape,
  TableSummary,
  WireFormat,
} from './sources/source.ts'
