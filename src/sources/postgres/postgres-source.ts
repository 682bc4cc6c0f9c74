import { PlimsollError } from '../../kernel/errors.ts'
import type { Fence } from '../../kernel/fence.ts'
import type { PositionOrder } from '../../kernel/order.ts'
import type { Position } from '../../kernel/position.ts'
import type { Range } from '../../kernel/range.ts'
import type {
  SourceDiagnosis,
  SourceDiagnosisRequest,
  TableDiagnosis,
  TableDiagnosisRequest,
} from '../diagnosis.ts'
import type { Look, SourceLookRequest } from '../look.ts'
import type {
  CommitTime,
  CommitTimesRequest,
  FenceRequest,
  LoadFacts,
  LoadFactsRequest,
  OpenTransactions,
  OrderDeclaration,
  QueryPlan,
  Reader,
  ReaderRequest,
  ServerIdentity,
  Source,
  SourceCapabilities,
  SourceOptions,
  TableRef,
  TableShape,
  TableSummary,
} from '../source.ts'
import { Pool } from './connect/pool.ts'
import { describeTable } from './describe/describe.ts'
import { readIdentity } from './describe/identity.ts'
import { listTables } from './describe/tables.ts'
import { diagnoseSource } from './diagnose/source.ts'
import { diagnoseTable } from './diagnose/table.ts'
import { createFencer, type Fencer } from './fence/index.ts'
import { readCommitTimes } from './lateness/commit-times.ts'
import { readLoadFacts } from './lateness/load-facts.ts'
import { readOpenTransactions } from './lateness/open-transactions.ts'
import { openLook } from './look/look.ts'
import { explainRange } from './read/explain.ts'
import { openReader } from './read/reader.ts'
import { hasRowsBelow } from './read/rows-below.ts'

/** A PostgreSQL server as a source: fences at the primary, rows from it or from its replica. */
export class PostgresSource implements Source {
  readonly capabilities: SourceCapabilities = {
    exactFence: true,
    snapshotReads: true,
    pushdownFingerprint: true,
    formats: ['pg_text', 'plain_csv'],
  }
  readonly #primary: Pool
  readonly #replica: Pool | undefined
  readonly #fencer: Fencer
  readonly #context: SourceOptions['context']

  constructor({ url, replicaUrl, context }: SourceOptions) {
    this.#primary = new Pool(url)
    this.#replica = replicaUrl === undefined ? undefined : new Pool(replicaUrl)
    this.#context = context
    this.#fencer = createFencer({
      control: () => this.#primary.control(),
      ownPids: () => this.#primary.backendPids(),
      context,
    })
  }

  async identity(): Promise<ServerIdentity> {
    const identity = await readIdentity(await this.#primary.control())
    if (!this.#replica) return identity
    const replica = await readIdentity(await this.#replica.control())
    return { ...identity, replica: `${this.#replica.place} ${replica.id}` }
  }

  async list(): Promise<readonly TableSummary[]> {
    return listTables((sql) => this.#primary.ask(sql))
  }

  async describe(table: TableRef, declared?: OrderDeclaration): Promise<TableShape> {
    return describeTable(this.#primary, table, declared, this.#context.note)
  }

  async fence(request: FenceRequest): Promise<Fence> {
    return this.#fencer.fence(request)
  }

  async hasRowsBelow(part: TableRef, order: PositionOrder, bound: Position): Promise<boolean> {
    return hasRowsBelow(this.#primary, part, order, bound)
  }

  async openReader(request: ReaderRequest): Promise<Reader> {
    if (this.#replica) await this.#checkReplica(this.#replica)
    return openReader(this.#readers, request, this.#context.reach)
  }

  async openLook(request: SourceLookRequest): Promise<Look> {
    if (this.#replica) await this.#checkReplica(this.#replica)
    return openLook(this.#readers, request, this.#context.reach)
  }

  async explain(request: ReaderRequest, range: Range): Promise<QueryPlan> {
    return explainRange(this.#readers, request, range)
  }

  async commitTimes(request: CommitTimesRequest): Promise<readonly CommitTime[] | undefined> {
    return readCommitTimes(this.#readers, request)
  }

  async loadFacts(request: LoadFactsRequest): Promise<LoadFacts> {
    return readLoadFacts(this.#readers, request)
  }

  async openTransactions(): Promise<OpenTransactions> {
    return readOpenTransactions(this.#primary)
  }

  async diagnose(request: SourceDiagnosisRequest): Promise<SourceDiagnosis> {
    return diagnoseSource(this.#primary, this.#replica, request)
  }

  async diagnoseTable(request: TableDiagnosisRequest): Promise<TableDiagnosis> {
    if (this.#replica) await this.#checkReplica(this.#replica)
    return diagnoseTable(this.#primary, this.#readers, request)
  }

  async close(): Promise<void> {
    await this.#fencer.close()
    await Promise.all([this.#primary.close(), this.#replica?.close()])
  }

  /** A fence of one system says nothing about the rows of another (spec E29, E66). */
  async #checkReplica(replica: Pool): Promise<void> {
    const [here, there] = [await this.#primary.control(), await replica.control()]
    if (here.systemId === there.systemId) return
    throw new PlimsollError('SOURCE_CHANGED', `${replica.place} is no replica of ${this.#primary.place}`, {
      hint: 'The two addresses lead to different database systems.',
      context: { primary: here.systemId ?? null, replica: there.systemId ?? null },
    })
  }

  get #readers(): Pool {
    return this.#replica ?? this.#primary
  }
}
