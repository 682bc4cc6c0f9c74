declare module 'pg-copy-streams' {
  import type { Writable, WritableOptions } from 'node:stream'
  import type { Connection, Submittable } from 'pg'

  /** The bytes of a `COPY … FROM STDIN`. Emits `finish` once the server is ready for the next query. */
  export interface CopyStreamQuery extends Writable, Submittable {
    rowCount: number
    submit(connection: Connection): void
  }

  export function from(sql: string, options?: WritableOptions): CopyStreamQuery
}
