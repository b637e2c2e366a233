-- The same index entries as keepmind's: a row for each term of each memory.

CREATE TABLE posting (
    owner_id  INTEGER NOT NULL,
    term      TEXT    NOT NULL,
    document  INTEGER NOT NULL,
    frequency INTEGER NOT NULL,
    length    INTEGER NOT NULL,
    PRIMARY KEY (owner_id, term, document)
) STRICT, WITHOUT ROWID;
