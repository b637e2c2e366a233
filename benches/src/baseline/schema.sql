-- The same columns as keepmind's memories, with the indexes that the queries here need.
-- The owner is a number in every row, and vectors are in a table of their own, as in keepmind.

CREATE TABLE owner (
    id               INTEGER PRIMARY KEY,
    name             TEXT    NOT NULL UNIQUE,
    memory_documents INTEGER NOT NULL DEFAULT 0,
    memory_length    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE memory (
    rowid             INTEGER PRIMARY KEY,
    owner_id          INTEGER NOT NULL REFERENCES owner (id),
    id                BLOB    NOT NULL,
    origin            BLOB    NOT NULL,
    number            INTEGER NOT NULL,
    version           INTEGER NOT NULL,
    recorded_at       INTEGER NOT NULL,
    layer             TEXT    NOT NULL,
    category          TEXT    NOT NULL,
    authority         TEXT    NOT NULL,
    content           TEXT    NOT NULL,
    body              TEXT,
    tags              TEXT,
    source            TEXT    NOT NULL,
    trust             TEXT    NOT NULL,
    valid_from        INTEGER NOT NULL,
    expires_at        INTEGER,
    importance        REAL    NOT NULL,
    confidence        REAL,
    ended_at          INTEGER,
    end_reason        TEXT,
    superseded_by     BLOB,
    valid_until       INTEGER
) STRICT;
CREATE UNIQUE INDEX memory_version ON memory (owner_id, number, version);
CREATE UNIQUE INDEX memory_id ON memory (owner_id, id);

CREATE TABLE embedding (
    memory INTEGER PRIMARY KEY REFERENCES memory (rowid),
    vector BLOB    NOT NULL
) STRICT;
