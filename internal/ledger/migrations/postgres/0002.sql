-- A second name of an event whose sender's id no signature covers: a keyed hash of the
-- signed body. The first one wins.
CREATE TABLE event_alias (
  alias text PRIMARY KEY,
  event text NOT NULL
);

-- Chunks of collections that a run asked for and did not get.
CREATE TABLE withheld (
  run   text NOT NULL,
  chunk text NOT NULL,
  PRIMARY KEY (run, chunk)
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['event_alias', 'withheld'] LOOP
    EXECUTE format('CREATE TRIGGER append_only_row BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION append_only()', t);
    EXECUTE format('CREATE TRIGGER append_only_table BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION append_only()', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only_row', t);
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only_table', t);
  END LOOP;
END $$;
REVOKE ALL ON event_alias, withheld FROM PUBLIC;
GRANT SELECT ON event_alias, withheld TO stoplog_writer, stoplog_reader;
GRANT INSERT ON event_alias, withheld TO stoplog_writer;
