/** The catalog's tables, one entry a version; entries are only ever appended. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE lease (
    stream TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    -- NULL: free. The row stays, so that epochs only grow.
    holder TEXT,
    host TEXT,
    pid INTEGER,
    process_mark TEXT,
    expires_us INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE open_run (
    run_id TEXT PRIMARY KEY,
    stream TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    opened_us INTEGER NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    kind TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX open_run_stream ON open_run (stream);

  CREATE TABLE record (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE,
    stream TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    json TEXT NOT NULL,
    hash TEXT NOT NULL,
    prev TEXT NOT NULL,
    UNIQUE (stream, sequence)
  ) STRICT;
  CREATE TRIGGER record_stays_as_written BEFORE UPDATE ON record
    BEGIN SELECT raise(ABORT, 'run records are append-only'); END;
  CREATE TRIGGER record_stays BEFORE DELETE ON record
    BEGIN SELECT raise(ABORT, 'run records are append-only'); END;

  CREATE TABLE ledger (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    generation INTEGER NOT NULL,
    entry TEXT NOT NULL,
    UNIQUE (stream, generation, entry)
  ) STRICT;

  CREATE TABLE memory (
    scope TEXT NOT NULL,
    name TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE alarm (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    evidence TEXT NOT NULL,
    raised_us INTEGER NOT NULL,
    resolved_us INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX alarm_open ON alarm (stream, name) WHERE resolved_us IS NULL;
  `,
  `
  -- A check over several streams leaves one record in the chain of each, all under its id.
  CREATE TABLE record_2 (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL,
    stream TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    json TEXT NOT NULL,
    hash TEXT NOT NULL,
    prev TEXT NOT NULL,
    UNIQUE (stream, sequence),
    UNIQUE (run_id, stream)
  ) STRICT;
  INSERT INTO record_2 SELECT * FROM record;
  DROP TRIGGER record_stays_as_written;
  DROP TRIGGER record_stays;
  DROP TABLE record;
  ALTER TABLE record_2 RENAME TO record;
  CREATE TRIGGER record_stays_as_written BEFORE UPDATE ON record
    BEGIN SELECT raise(ABORT, 'run records are append-only'); END;
  CREATE TRIGGER record_stays BEFORE DELETE ON record
    BEGIN SELECT raise(ABORT, 'run records are append-only'); END;

  CREATE TABLE finding (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    finding_id TEXT NOT NULL UNIQUE,
    stream TEXT NOT NULL,
    check_id TEXT NOT NULL,
    state TEXT NOT NULL,
    verdict TEXT NOT NULL,
    key_text TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX finding_state ON finding (stream, state, verdict);
  CREATE INDEX finding_key ON finding (stream, key_text);
  CREATE INDEX finding_check ON finding (check_id);
  CREATE TRIGGER finding_stays BEFORE DELETE ON finding
    BEGIN SELECT raise(ABORT, 'findings are never deleted'); END;
  `,
  `
  ALTER TABLE alarm ADD COLUMN level TEXT NOT NULL DEFAULT 'page';
  ALTER TABLE alarm ADD COLUMN latest TEXT NOT NULL DEFAULT '';
  ALTER TABLE alarm ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE alarm ADD COLUMN seen_us INTEGER NOT NULL DEFAULT 0;
  UPDATE alarm SET latest = text, seen_us = raised_us;
  `,
  `
  CREATE INDEX record_kind ON record (stream, json_extract(json, '$.kind'), sequence);
  `,
]
