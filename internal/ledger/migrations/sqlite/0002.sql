-- A second name of an event whose sender's id no signature covers: a keyed hash of the
-- signed body. The first one wins.
CREATE TABLE event_alias (
  alias TEXT PRIMARY KEY,
  event TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Chunks of collections that a run asked for and did not get.
CREATE TABLE withheld (
  run   TEXT NOT NULL,
  chunk TEXT NOT NULL,
  PRIMARY KEY (run, chunk)
) STRICT, WITHOUT ROWID;
