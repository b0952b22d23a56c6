-- The key table of the vault, in a schema of its own, so that it can have backups of
-- its own: an erasure is complete when the backups that hold the key have aged out
-- (or when Rewrap has moved the living keys and the old key-encryption key is destroyed).
CREATE SCHEMA IF NOT EXISTS evidence;
CREATE TABLE IF NOT EXISTS evidence.scope_key (
    n       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope   TEXT   NOT NULL UNIQUE,
    created BIGINT NOT NULL,            -- Unix microseconds
    wrapped BYTEA  NOT NULL             -- version of the key-encryption key, wrapped key
);
CREATE TABLE IF NOT EXISTS evidence.scope_erased (scope TEXT PRIMARY KEY, at BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS evidence.legal_hold   (scope TEXT PRIMARY KEY, at BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS evidence.subject_scope (
    subject TEXT NOT NULL,
    scope   TEXT NOT NULL,
    PRIMARY KEY (subject, scope)
);

CREATE OR REPLACE FUNCTION evidence.refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN RAISE EXCEPTION 'key rows and erasures stay'; END $$;

CREATE OR REPLACE FUNCTION evidence.guard_key() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    zeros BYTEA := decode(repeat('00', length(OLD.wrapped)), 'hex');
BEGIN
    IF NEW.n <> OLD.n OR NEW.scope <> OLD.scope OR NEW.created <> OLD.created OR length(NEW.wrapped) <> length(OLD.wrapped) THEN
        RAISE EXCEPTION 'only the wrapped bytes of a key row may change';
    END IF;
    IF NEW.wrapped <> zeros AND EXISTS (SELECT 1 FROM evidence.scope_erased e WHERE e.scope = OLD.scope) THEN
        RAISE EXCEPTION 'erasure is final';
    END IF;
    IF NEW.wrapped = zeros AND EXISTS (SELECT 1 FROM evidence.legal_hold h WHERE h.scope = OLD.scope) THEN
        RAISE EXCEPTION 'legal hold';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER scope_key_guard BEFORE UPDATE ON evidence.scope_key FOR EACH ROW EXECUTE FUNCTION evidence.guard_key();
CREATE OR REPLACE TRIGGER scope_key_stays BEFORE DELETE ON evidence.scope_key FOR EACH ROW EXECUTE FUNCTION evidence.refuse();
CREATE OR REPLACE TRIGGER scope_key_whole BEFORE TRUNCATE ON evidence.scope_key FOR EACH STATEMENT EXECUTE FUNCTION evidence.refuse();
CREATE OR REPLACE TRIGGER scope_erased_stays BEFORE UPDATE OR DELETE ON evidence.scope_erased FOR EACH ROW EXECUTE FUNCTION evidence.refuse();
CREATE OR REPLACE TRIGGER scope_erased_whole BEFORE TRUNCATE ON evidence.scope_erased FOR EACH STATEMENT EXECUTE FUNCTION evidence.refuse();
ALTER TABLE evidence.scope_key ENABLE ALWAYS TRIGGER scope_key_guard;
ALTER TABLE evidence.scope_key ENABLE ALWAYS TRIGGER scope_key_stays;
ALTER TABLE evidence.scope_key ENABLE ALWAYS TRIGGER scope_key_whole;
ALTER TABLE evidence.scope_erased ENABLE ALWAYS TRIGGER scope_erased_stays;
ALTER TABLE evidence.scope_erased ENABLE ALWAYS TRIGGER scope_erased_whole;

DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'stoplog_writer') THEN
        CREATE ROLE stoplog_writer NOLOGIN;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- roles belong to the whole cluster: another database's migration made it
END $$;
GRANT USAGE ON SCHEMA evidence TO stoplog_writer;
GRANT SELECT, INSERT ON evidence.scope_key, evidence.scope_erased, evidence.subject_scope TO stoplog_writer;
GRANT UPDATE (wrapped) ON evidence.scope_key TO stoplog_writer;
GRANT SELECT, INSERT, DELETE ON evidence.legal_hold TO stoplog_writer;
