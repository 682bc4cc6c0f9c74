declare module 'pg-copy-streams' {
  import type { Readable, ReadableOptions } from 'node:stream'
  import type { Connection, Submittable } from 'pg'

  /** The rows of a `COPY … TO STDOUT`. `rowCount` is right once the server is ready for the next query. */
  export interface CopyToStreamQuery extends Readable, Submittable {
    rowCount: number
    submit(connection: Connection): void
    handleReadyForQuery(): void
  }

  export function to(sql: string, options?: ReadableOptions): CopyToStreamQuery
}
