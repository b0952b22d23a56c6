-- Run as stoplog_owner, with search_path = stoplog.
-- The append-only part: facts. Nothing here is ever updated or deleted.

CREATE TABLE record (
  n         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tx        xid8   NOT NULL DEFAULT pg_current_xact_id(),  -- orders records so that a late commit cannot fall behind the sealer
  record_id text   NOT NULL UNIQUE,
  once      text   UNIQUE,                                 -- what can be said only once; NULL for most kinds
  tenant    text   NOT NULL,
  run       text   NOT NULL,
  subject   text   NOT NULL,
  kind      text   NOT NULL,
  at        bigint NOT NULL,                               -- microseconds since 1970, UTC
  canon     bytea  NOT NULL,                               -- what is hashed, as it was written; never jsonb, which is rewritten
  leaf      bytea  NOT NULL CHECK (octet_length(leaf) = 32)
);
CREATE INDEX record_tx ON record (tx, n);
CREATE INDEX record_run ON record (run, n) WHERE run <> '';
CREATE INDEX record_subject ON record (subject, n) WHERE subject <> '';

CREATE TABLE leaf (
  seq       bigint PRIMARY KEY,
  record_id text   NOT NULL UNIQUE,
  hash      bytea  NOT NULL CHECK (octet_length(hash) = 32)
);

CREATE TABLE tile (
  level bigint NOT NULL,
  n     bigint NOT NULL,
  root  bytea  NOT NULL CHECK (octet_length(root) = 32),   -- the hash that stands for this tile one level up
  data  bytea  NOT NULL CHECK (octet_length(data) = 8192), -- 256 hashes
  PRIMARY KEY (level, n)
);

CREATE TABLE checkpoint (
  size    bigint PRIMARY KEY,
  note    bytea  NOT NULL,
  at      bigint NOT NULL,
  last_n  bigint NOT NULL,                                 -- the last record sealed in it, by transaction and number
  last_tx xid8   NOT NULL,
  floor_n bigint NOT NULL                                  -- after a restore: records up to this number are sealed
);

-- Projections: what the records say, for reading. Rebuilt and compared by audit.

CREATE TABLE event (
  n          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id         text    NOT NULL UNIQUE,
  run        text    NOT NULL,
  scope      text    NOT NULL,
  tenant     text    NOT NULL,
  source     text    NOT NULL,
  evidence   text    NOT NULL,
  commitment text    NOT NULL,
  chunks     bigint  NOT NULL,
  collection boolean NOT NULL,
  received   bigint  NOT NULL
);
CREATE INDEX event_run ON event (run, n) WHERE run <> '';
CREATE INDEX event_scope ON event (scope);

CREATE TABLE run (
  id         text    PRIMARY KEY,
  tenant     text    NOT NULL,
  class      bigint  NOT NULL,                             -- rank of the highest class that entered; 0 while none is known
  halts      text    NOT NULL,                             -- what halts it still: gate ids, in order
  ended      boolean NOT NULL,
  incomplete boolean NOT NULL,
  opened     bigint  NOT NULL
);

CREATE TABLE chunk (
  id          text             PRIMARY KEY,
  event       text             NOT NULL,
  run         text             NOT NULL,
  tenant      text             NOT NULL,
  ordinal     bigint           NOT NULL,
  verdict     text             NOT NULL,
  band        text             NOT NULL,
  score       double precision NOT NULL,
  gate        text             NOT NULL,
  disposition text             NOT NULL,
  accepted    bigint           NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX chunk_event ON chunk (event, ordinal);
CREATE INDEX chunk_run ON chunk (run) WHERE run <> '';

CREATE TABLE gate (
  n           bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id          text             NOT NULL UNIQUE,
  tenant      text             NOT NULL,
  type        text             NOT NULL,
  state       text             NOT NULL,
  source      text             NOT NULL,
  tool        text             NOT NULL,
  run         text             NOT NULL,
  about       text             NOT NULL,
  class       text             NOT NULL,
  rules       text             NOT NULL,                   -- JSON list
  score       double precision NOT NULL,
  failure     text             NOT NULL,
  opened      bigint           NOT NULL,
  expires     bigint           NOT NULL,
  reviewer    text             NOT NULL,
  lease_until bigint           NOT NULL,
  decision    text             NOT NULL,
  origin      text             NOT NULL,
  reason      text             NOT NULL,
  note        text             NOT NULL,
  decided     bigint           NOT NULL,
  effect      text             NOT NULL,
  applied     bigint           NOT NULL
);
CREATE INDEX gate_state ON gate (state, n);
CREATE INDEX gate_run ON gate (run, n) WHERE run <> '';
CREATE INDEX gate_about ON gate (about) WHERE about <> '';

-- Bookkeeping and sealed content: not facts of the ledger.

CREATE TABLE outbox (
  n       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic   text  NOT NULL,
  key     text  NOT NULL,
  headers text  NOT NULL,                                  -- JSON object
  value   bytea NOT NULL
);

CREATE TABLE held (
  chunk  text  PRIMARY KEY,
  event  text  NOT NULL,
  run    text  NOT NULL,
  scope  text  NOT NULL,
  sealed bytea NOT NULL
);

CREATE TABLE context_item (
  n        bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run      text    NOT NULL,
  chunk    text    NOT NULL,
  event    text    NOT NULL,
  scope    text    NOT NULL,
  ordinal  bigint  NOT NULL,
  source   text    NOT NULL,
  class    text    NOT NULL,
  band     text    NOT NULL,
  redacted boolean NOT NULL,
  sealed   bytea   NOT NULL,
  UNIQUE (run, chunk)
);

CREATE TABLE stub (
  run        text  NOT NULL,
  name       text  NOT NULL,
  commitment text  NOT NULL,
  class      text  NOT NULL,
  sinks      text  NOT NULL,                               -- JSON list
  sealed     bytea NOT NULL,
  PRIMARY KEY (run, name)
);

CREATE TABLE attempt (
  grp      text   NOT NULL,
  topic    text   NOT NULL,
  part     bigint NOT NULL,
  from_off bigint NOT NULL,
  to_off   bigint NOT NULL,
  tries    bigint NOT NULL,
  PRIMARY KEY (grp, topic, part, from_off, to_off)
);

-- Records that were refused because another one stands: by id or by what can be
-- said only once.
CREATE TABLE refused (
  n         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  record_id text   NOT NULL,
  stored_id text   NOT NULL,
  kind      text   NOT NULL,
  once      text   NOT NULL,
  said      text   NOT NULL,                               -- what the refused record said, in a word
  stands    text   NOT NULL,                               -- and what the stored one says
  at        bigint NOT NULL,
  UNIQUE (record_id, stored_id, said)
);

-- ENABLE ALWAYS, so that session_replication_role = replica does not switch the
-- triggers off.
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  RAISE EXCEPTION 'append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

-- Taint, ends and gaps of a run never fall back, whoever writes.
CREATE FUNCTION run_monotone() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF NEW.class < OLD.class OR (OLD.ended AND NOT NEW.ended) OR (OLD.incomplete AND NOT NEW.incomplete) OR NEW.id <> OLD.id OR NEW.tenant <> OLD.tenant THEN
    RAISE EXCEPTION 'a run does not fall back' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;

-- A final disposition stands.
CREATE FUNCTION chunk_final() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
  IF OLD.disposition <> 'pending' AND NEW.disposition <> OLD.disposition THEN
    RAISE EXCEPTION 'a final disposition stands' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['record', 'leaf', 'tile', 'checkpoint', 'refused', 'event'] LOOP
    EXECUTE format('CREATE TRIGGER append_only_row BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION append_only()', t);
    EXECUTE format('CREATE TRIGGER append_only_table BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION append_only()', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only_row', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only_table', t);
  END LOOP;
END $$;
CREATE TRIGGER run_monotone BEFORE UPDATE ON run FOR EACH ROW EXECUTE FUNCTION run_monotone();
ALTER TABLE run ENABLE ALWAYS TRIGGER run_monotone;
CREATE TRIGGER chunk_final BEFORE UPDATE ON chunk FOR EACH ROW EXECUTE FUNCTION chunk_final();
ALTER TABLE chunk ENABLE ALWAYS TRIGGER chunk_final;

REVOKE ALL ON SCHEMA stoplog FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA stoplog FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA stoplog FROM PUBLIC;
GRANT USAGE ON SCHEMA stoplog TO stoplog_writer, stoplog_sealer, stoplog_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA stoplog TO stoplog_writer;
-- Sealed content and what waits to be sent are nothing to a reader of the ledger.
GRANT SELECT ON record, leaf, tile, checkpoint, event, run, chunk, gate, refused TO stoplog_reader;
GRANT SELECT ON record, leaf, tile, checkpoint TO stoplog_sealer;
-- Not tx and not n: a writer does not choose its place in the order.
GRANT INSERT (record_id, once, tenant, run, subject, kind, at, canon, leaf) ON record TO stoplog_writer;
GRANT INSERT ON event, refused, held, context_item, stub TO stoplog_writer;
GRANT INSERT, UPDATE ON run, chunk, gate TO stoplog_writer;
GRANT INSERT, DELETE ON outbox TO stoplog_writer;
GRANT INSERT, UPDATE, DELETE ON attempt TO stoplog_writer;
GRANT INSERT ON leaf, tile, checkpoint TO stoplog_sealer;
