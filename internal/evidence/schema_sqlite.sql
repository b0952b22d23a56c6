-- The key table of the vault. Its rows are appended in order and never change their
-- size: erasing overwrites the wrapped key with as many zeros, in place. Nothing
-- then makes SQLite move a row to another page, where secure_delete would clean the
-- new place only and leave the old copy in the file (seen: 4 of 1,400 keys stayed
-- in the file when they were set to NULL in a table ordered by scope).
CREATE TABLE IF NOT EXISTS scope_key (
    n       INTEGER PRIMARY KEY,
    scope   TEXT    NOT NULL UNIQUE,
    created INTEGER NOT NULL,           -- Unix microseconds
    wrapped BLOB    NOT NULL            -- version of the key-encryption key, wrapped key
) STRICT;
CREATE TABLE IF NOT EXISTS scope_erased (scope TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS legal_hold   (scope TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS subject_scope (
    subject TEXT NOT NULL,
    scope   TEXT NOT NULL,
    PRIMARY KEY (subject, scope)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS scope_key_stays BEFORE DELETE ON scope_key
BEGIN SELECT RAISE(ABORT, 'a key row stays, so that its scope cannot be made again'); END;
CREATE TRIGGER IF NOT EXISTS scope_erased_stays BEFORE DELETE ON scope_erased
BEGIN SELECT RAISE(ABORT, 'erasure is final'); END;
CREATE TRIGGER IF NOT EXISTS scope_erased_fixed BEFORE UPDATE ON scope_erased
BEGIN SELECT RAISE(ABORT, 'erasure is final'); END;
CREATE TRIGGER IF NOT EXISTS scope_key_fixed BEFORE UPDATE ON scope_key
WHEN NEW.n <> OLD.n OR NEW.scope <> OLD.scope OR NEW.created <> OLD.created OR length(NEW.wrapped) <> length(OLD.wrapped)
BEGIN SELECT RAISE(ABORT, 'only the wrapped bytes of a key row may change'); END;
CREATE TRIGGER IF NOT EXISTS scope_key_erased BEFORE UPDATE ON scope_key
WHEN NEW.wrapped <> zeroblob(length(OLD.wrapped)) AND EXISTS (SELECT 1 FROM scope_erased e WHERE e.scope = OLD.scope)
BEGIN SELECT RAISE(ABORT, 'erasure is final'); END;
CREATE TRIGGER IF NOT EXISTS scope_key_held BEFORE UPDATE ON scope_key
WHEN NEW.wrapped = zeroblob(length(OLD.wrapped)) AND EXISTS (SELECT 1 FROM legal_hold h WHERE h.scope = OLD.scope)
BEGIN SELECT RAISE(ABORT, 'legal hold'); END;
