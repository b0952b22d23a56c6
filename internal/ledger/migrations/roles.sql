-- Run once a cluster by whoever migrates: a superuser, or a role that may create
-- roles. None of these roles can sign in; grant them to the logins of the
-- deployment.
DO $$
DECLARE r text;
BEGIN
  FOREACH r IN ARRAY ARRAY['stoplog_owner', 'stoplog_writer', 'stoplog_sealer', 'stoplog_reader'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = r) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', r);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL; -- another migration made it just now
      END;
    END IF;
  END LOOP;
  IF NOT pg_has_role(current_user, 'stoplog_owner', 'MEMBER') THEN
    EXECUTE format('GRANT stoplog_owner TO %I', current_user);
  END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS stoplog AUTHORIZATION stoplog_owner;
