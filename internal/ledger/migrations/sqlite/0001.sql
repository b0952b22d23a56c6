-- The append-only part: facts. Nothing here is ever updated or deleted.

CREATE TABLE record (
  n         INTEGER PRIMARY KEY AUTOINCREMENT,
  record_id TEXT    NOT NULL UNIQUE,
  once      TEXT    UNIQUE,              -- what can be said only once; NULL for most kinds
  tenant    TEXT    NOT NULL,
  run       TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  at        INTEGER NOT NULL,            -- microseconds since 1970, UTC
  canon     BLOB    NOT NULL,            -- what is hashed, as it was written
  leaf      BLOB    NOT NULL
) STRICT;
CREATE INDEX record_run ON record (run, n) WHERE run <> '';
CREATE INDEX record_subject ON record (subject, n) WHERE subject <> '';

CREATE TABLE leaf (
  seq       INTEGER PRIMARY KEY,
  record_id TEXT    NOT NULL UNIQUE,
  hash      BLOB    NOT NULL
) STRICT;

CREATE TABLE tile (
  level INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  root  BLOB    NOT NULL,                -- the hash that stands for this tile one level up
  data  BLOB    NOT NULL,                -- 256 hashes
  PRIMARY KEY (level, n)
) STRICT;

CREATE TABLE checkpoint (
  size   INTEGER PRIMARY KEY,
  note   BLOB    NOT NULL,
  at     INTEGER NOT NULL,
  last_n INTEGER NOT NULL                -- number of the last record that is sealed in it
) STRICT;

-- INSERT OR REPLACE deletes without firing delete triggers unless
-- recursive_triggers is on; the insert triggers refuse it on any connection.
CREATE TRIGGER record_insert BEFORE INSERT ON record
  WHEN EXISTS (SELECT 1 FROM record WHERE record_id = NEW.record_id OR n = NEW.n OR once = NEW.once)
  BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER record_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER record_delete BEFORE DELETE ON record BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER leaf_insert BEFORE INSERT ON leaf
  WHEN EXISTS (SELECT 1 FROM leaf WHERE seq = NEW.seq OR record_id = NEW.record_id)
  BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER leaf_update BEFORE UPDATE ON leaf BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER leaf_delete BEFORE DELETE ON leaf BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER tile_insert BEFORE INSERT ON tile
  WHEN EXISTS (SELECT 1 FROM tile WHERE level = NEW.level AND n = NEW.n)
  BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER tile_update BEFORE UPDATE ON tile BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER tile_delete BEFORE DELETE ON tile BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER checkpoint_insert BEFORE INSERT ON checkpoint
  WHEN EXISTS (SELECT 1 FROM checkpoint WHERE size >= NEW.size)
  BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER checkpoint_update BEFORE UPDATE ON checkpoint BEGIN SELECT RAISE(ABORT, 'append-only'); END;
CREATE TRIGGER checkpoint_delete BEFORE DELETE ON checkpoint BEGIN SELECT RAISE(ABORT, 'append-only'); END;

-- Projections: what the records say, for reading. Rebuilt and compared by audit.

CREATE TABLE event (
  n          INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT    NOT NULL UNIQUE,
  run        TEXT    NOT NULL,
  scope      TEXT    NOT NULL,
  tenant     TEXT    NOT NULL,
  source     TEXT    NOT NULL,
  evidence   TEXT    NOT NULL,
  commitment TEXT    NOT NULL,
  chunks     INTEGER NOT NULL,
  collection INTEGER NOT NULL,
  received   INTEGER NOT NULL
) STRICT;
CREATE INDEX event_run ON event (run, n) WHERE run <> '';
CREATE INDEX event_scope ON event (scope);

CREATE TABLE run (
  id         TEXT    PRIMARY KEY,
  tenant     TEXT    NOT NULL,
  class      INTEGER NOT NULL,           -- rank of the highest class that entered; 0 while none is known
  halts      TEXT    NOT NULL,           -- what halts it still: gate ids, in order
  ended      INTEGER NOT NULL,
  incomplete INTEGER NOT NULL,
  opened     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE chunk (
  id          TEXT    PRIMARY KEY,
  event       TEXT    NOT NULL,
  run         TEXT    NOT NULL,
  tenant      TEXT    NOT NULL,
  ordinal     INTEGER NOT NULL,
  verdict     TEXT    NOT NULL,
  band        TEXT    NOT NULL,
  score       REAL    NOT NULL,
  gate        TEXT    NOT NULL,
  disposition TEXT    NOT NULL,
  accepted    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX chunk_event ON chunk (event, ordinal);
CREATE INDEX chunk_run ON chunk (run) WHERE run <> '';
CREATE INDEX chunk_pending ON chunk (run, gate) WHERE disposition = 'pending';

CREATE TABLE gate (
  n           INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE,
  tenant      TEXT    NOT NULL,
  type        TEXT    NOT NULL,
  state       TEXT    NOT NULL,
  source      TEXT    NOT NULL,
  tool        TEXT    NOT NULL,
  run         TEXT    NOT NULL,
  about       TEXT    NOT NULL,
  class       TEXT    NOT NULL,
  rules       TEXT    NOT NULL,          -- JSON list
  score       REAL    NOT NULL,
  failure     TEXT    NOT NULL,
  opened      INTEGER NOT NULL,
  expires     INTEGER NOT NULL,
  reviewer    TEXT    NOT NULL,
  lease_until INTEGER NOT NULL,
  decision    TEXT    NOT NULL,
  origin      TEXT    NOT NULL,
  reason      TEXT    NOT NULL,
  note        TEXT    NOT NULL,
  decided     INTEGER NOT NULL,
  effect      TEXT    NOT NULL,
  applied     INTEGER NOT NULL
) STRICT;
CREATE INDEX gate_state ON gate (state, n);
CREATE INDEX gate_run ON gate (run, n) WHERE run <> '';
CREATE INDEX gate_about ON gate (about) WHERE about <> '';

-- Bookkeeping and sealed content: not facts of the ledger.

CREATE TABLE outbox (
  n       INTEGER PRIMARY KEY AUTOINCREMENT,
  topic   TEXT NOT NULL,
  key     TEXT NOT NULL,
  headers TEXT NOT NULL,                 -- JSON object
  value   BLOB NOT NULL
) STRICT;

CREATE TABLE held (
  chunk  TEXT PRIMARY KEY,
  event  TEXT NOT NULL,
  run    TEXT NOT NULL,
  scope  TEXT NOT NULL,
  sealed BLOB NOT NULL
) STRICT;

CREATE TABLE context_item (
  n        INTEGER PRIMARY KEY AUTOINCREMENT,
  run      TEXT    NOT NULL,
  chunk    TEXT    NOT NULL,
  event    TEXT    NOT NULL,
  scope    TEXT    NOT NULL,
  ordinal  INTEGER NOT NULL,
  source   TEXT    NOT NULL,
  class    TEXT    NOT NULL,
  band     TEXT    NOT NULL,
  redacted INTEGER NOT NULL,
  sealed   BLOB    NOT NULL,
  UNIQUE (run, chunk)
) STRICT;

CREATE TABLE stub (
  run        TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  commitment TEXT    NOT NULL,
  class      TEXT    NOT NULL,
  sinks      TEXT    NOT NULL,           -- JSON list
  sealed     BLOB    NOT NULL,
  PRIMARY KEY (run, name)
) STRICT;

CREATE TABLE attempt (
  grp      TEXT    NOT NULL,
  topic    TEXT    NOT NULL,
  part     INTEGER NOT NULL,
  from_off INTEGER NOT NULL,
  to_off   INTEGER NOT NULL,
  tries    INTEGER NOT NULL,
  PRIMARY KEY (grp, topic, part, from_off, to_off)
) STRICT, WITHOUT ROWID;

-- Records that were refused because another one stands: by id or by what can be
-- said only once.
CREATE TABLE refused (
  n         INTEGER PRIMARY KEY AUTOINCREMENT,
  record_id TEXT    NOT NULL,
  stored_id TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  once      TEXT    NOT NULL,
  said      TEXT    NOT NULL,            -- what the refused record said, in a word
  stands    TEXT    NOT NULL,            -- and what the stored one says
  at        INTEGER NOT NULL,
  UNIQUE (record_id, stored_id, said)
) STRICT;
