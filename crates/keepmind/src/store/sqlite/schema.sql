-- The whole schema, as the migrations leave it; a test compares the two.
-- Moments are microseconds since 1970 (UTC). Ids are 16 bytes. Lists are JSON.
-- The owner leads every key, so no row of one owner can name a row of another.

CREATE TABLE owner (
    id                INTEGER PRIMARY KEY,
    name              TEXT    NOT NULL UNIQUE,
    epoch             BLOB    NOT NULL CHECK (length(epoch) = 16),
    revision          INTEGER NOT NULL CHECK (revision >= 0),
    next_number       INTEGER NOT NULL CHECK (next_number >= 1),
    last_stamp        INTEGER,
    embedding_changes INTEGER NOT NULL,
    memory_documents  INTEGER NOT NULL,
    memory_length     INTEGER NOT NULL,
    message_documents INTEGER NOT NULL,
    message_length    INTEGER NOT NULL
) STRICT;

-- A fact is there while a row of it is: what links refer to.
CREATE TABLE fact (
    owner_id INTEGER NOT NULL REFERENCES owner (id),
    number   INTEGER NOT NULL CHECK (number >= 1),
    PRIMARY KEY (owner_id, number)
) STRICT, WITHOUT ROWID;

-- What SQL looks at has a column of its own; the record is the row as JSON, as an export writes it,
-- without what may change: its marks (nothing: the default) and its end.
CREATE TABLE memory (
    owner_id     INTEGER NOT NULL,
    number       INTEGER NOT NULL,
    version      INTEGER NOT NULL CHECK (version >= 1),
    id           BLOB    NOT NULL CHECK (length(id) = 16),
    origin       BLOB    NOT NULL CHECK (length(origin) = 16),
    layer        TEXT    NOT NULL,
    category     TEXT    NOT NULL,
    authority    TEXT    NOT NULL,
    domain       TEXT,
    key          TEXT,
    held         INTEGER NOT NULL CHECK (held IN (0, 1)),
    expires_at   INTEGER,
    content_hash INTEGER NOT NULL,
    record       TEXT    NOT NULL,
    marks        TEXT,
    ended_at     INTEGER,
    ending       TEXT    CHECK ((ending IS NULL) = (ended_at IS NULL)),
    session      BLOB,
    -- Derived from the content, with the keyword index.
    speaker      TEXT,
    valid_from   INTEGER NOT NULL DEFAULT 0,
    FOREIGN KEY (owner_id, number) REFERENCES fact (owner_id, number) DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE UNIQUE INDEX memory_version ON memory (owner_id, number, version);
CREATE UNIQUE INDEX memory_id ON memory (owner_id, id);
CREATE INDEX memory_origin ON memory (owner_id, origin);
CREATE INDEX memory_content ON memory (owner_id, content_hash, number, version, id, session, speaker, valid_from)
    WHERE ended_at IS NULL;
CREATE INDEX memory_ended ON memory (owner_id, number, version) WHERE ended_at IS NOT NULL;
CREATE INDEX memory_expiry ON memory (owner_id, expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX memory_held ON memory (owner_id, number) WHERE ended_at IS NULL AND held = 1;
CREATE UNIQUE INDEX memory_open_origin ON memory (owner_id, origin) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX memory_open_number ON memory (owner_id, number) WHERE ended_at IS NULL AND held = 0;
CREATE UNIQUE INDEX memory_open_rule ON memory (owner_id, domain, key)
    WHERE ended_at IS NULL AND held = 0 AND authority = 'rule';

CREATE TABLE link (
    owner_id      INTEGER NOT NULL,
    id            BLOB    NOT NULL CHECK (length(id) = 16),
    origin        BLOB    NOT NULL CHECK (length(origin) = 16),
    recorded_at   INTEGER NOT NULL,
    from_number   INTEGER NOT NULL,
    to_number     INTEGER NOT NULL,
    relation      TEXT    NOT NULL,
    ended_at      INTEGER CHECK (ended_at >= recorded_at),
    ending        TEXT    CHECK ((ending IS NULL) = (ended_at IS NULL)),
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, from_number) REFERENCES fact (owner_id, number) DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (owner_id, to_number) REFERENCES fact (owner_id, number) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX link_from ON link (owner_id, from_number);
CREATE INDEX link_to ON link (owner_id, to_number);
CREATE INDEX link_origin ON link (owner_id, origin);
CREATE UNIQUE INDEX link_open_origin ON link (owner_id, origin) WHERE ended_at IS NULL;

-- A tombstone outlives the fact it names, so it refers to none.
CREATE TABLE tombstone (
    owner_id      INTEGER NOT NULL REFERENCES owner (id),
    id            BLOB    NOT NULL CHECK (length(id) = 16),
    origin        BLOB    NOT NULL CHECK (length(origin) = 16),
    recorded_at   INTEGER NOT NULL,
    number        INTEGER NOT NULL,
    session       BLOB    NOT NULL,
    message       INTEGER NOT NULL,
    span_start    INTEGER NOT NULL,
    span_end      INTEGER NOT NULL CHECK (span_end > span_start),
    ended_at      INTEGER CHECK (ended_at >= recorded_at),
    ending        TEXT    CHECK ((ending IS NULL) = (ended_at IS NULL)),
    PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_number ON tombstone (owner_id, number);
CREATE INDEX tombstone_session ON tombstone (owner_id, session) WHERE ended_at IS NULL;
CREATE INDEX tombstone_origin ON tombstone (owner_id, origin);
CREATE UNIQUE INDEX tombstone_open_origin ON tombstone (owner_id, origin) WHERE ended_at IS NULL;

CREATE TABLE proposal (
    owner_id      INTEGER NOT NULL REFERENCES owner (id),
    id            BLOB    NOT NULL CHECK (length(id) = 16),
    origin        BLOB    NOT NULL CHECK (length(origin) = 16),
    recorded_at   INTEGER NOT NULL,
    target_number INTEGER,
    rival_number  INTEGER,
    proposal      TEXT    NOT NULL,
    ended_at      INTEGER CHECK (ended_at >= recorded_at),
    ending        TEXT    CHECK ((ending IS NULL) = (ended_at IS NULL)),
    PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_target ON proposal (owner_id, target_number) WHERE target_number IS NOT NULL;
CREATE INDEX proposal_rival ON proposal (owner_id, rival_number) WHERE rival_number IS NOT NULL;
CREATE INDEX proposal_origin ON proposal (owner_id, origin);
CREATE UNIQUE INDEX proposal_open_origin ON proposal (owner_id, origin) WHERE ended_at IS NULL;

CREATE TABLE lineage (
    owner_id INTEGER NOT NULL,
    row_id   BLOB    NOT NULL,
    from_id  BLOB    NOT NULL CHECK (from_id <> row_id),
    PRIMARY KEY (owner_id, row_id, from_id),
    FOREIGN KEY (owner_id, row_id) REFERENCES memory (owner_id, id)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    FOREIGN KEY (owner_id, from_id) REFERENCES memory (owner_id, id)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_from ON lineage (owner_id, from_id);

CREATE TABLE consent (
    owner_id    INTEGER NOT NULL REFERENCES owner (id),
    domain      TEXT    NOT NULL,
    recorded_at INTEGER NOT NULL,
    granted     INTEGER NOT NULL CHECK (granted IN (0, 1)),
    PRIMARY KEY (owner_id, domain, recorded_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    owner_id  INTEGER NOT NULL REFERENCES owner (id),
    revision  INTEGER NOT NULL,
    operation BLOB    NOT NULL,
    stamp     INTEGER NOT NULL,
    who       TEXT    NOT NULL,
    session   BLOB,
    group_id  BLOB,
    effects   TEXT    NOT NULL,
    undoes    TEXT,
    redoes    TEXT,
    line      TEXT    NOT NULL,
    PRIMARY KEY (owner_id, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX journal_operation ON journal (owner_id, operation);
CREATE INDEX journal_group ON journal (owner_id, group_id) WHERE group_id IS NOT NULL;

CREATE TABLE session (
    owner_id          INTEGER NOT NULL REFERENCES owner (id),
    id                BLOB    NOT NULL CHECK (length(id) = 16),
    opened_at         INTEGER NOT NULL,
    active_at         INTEGER NOT NULL,
    status            TEXT    NOT NULL,
    deleted_at        INTEGER,
    title             TEXT,
    title_by_user     INTEGER,
    extracted_through INTEGER,
    attempts          INTEGER NOT NULL,
    retry_at          INTEGER,
    lease_holder      BLOB,
    lease_until       INTEGER,
    recap             TEXT,
    recap_through     INTEGER,
    block             TEXT,
    block_revision    INTEGER,
    block_rows        TEXT,
    served            TEXT,
    PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_recency ON session (owner_id, active_at, id);

CREATE TABLE message (
    owner_id  INTEGER NOT NULL,
    ordinal   INTEGER NOT NULL,
    session   BLOB    NOT NULL,
    number    INTEGER NOT NULL,
    role      TEXT    NOT NULL,
    content   TEXT    NOT NULL,
    hidden    TEXT,
    origin    TEXT    NOT NULL,
    untrusted TEXT,
    calls     TEXT,
    at        INTEGER NOT NULL,
    FOREIGN KEY (owner_id, session) REFERENCES session (owner_id, id)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE UNIQUE INDEX message_ordinal ON message (owner_id, ordinal);
CREATE UNIQUE INDEX message_number ON message (owner_id, session, number);

CREATE TABLE observation (
    owner_id INTEGER NOT NULL REFERENCES owner (id),
    id       BLOB    NOT NULL CHECK (length(id) = 16),
    source   TEXT    NOT NULL,
    payload  TEXT    NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (owner_id, id)
) STRICT;
CREATE INDEX observation_moment ON observation (owner_id, at, id);

CREATE TABLE trace (
    owner_id    INTEGER NOT NULL,
    session     BLOB    NOT NULL,
    call        TEXT    NOT NULL,
    tool        TEXT    NOT NULL,
    arguments   TEXT    NOT NULL,
    result      TEXT    NOT NULL,
    outcome     TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    PRIMARY KEY (owner_id, session, call),
    FOREIGN KEY (owner_id, session) REFERENCES session (owner_id, id)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE INDEX trace_moment ON trace (owner_id, started_at);

CREATE TABLE usage (
    owner_id  INTEGER NOT NULL,
    id        BLOB    NOT NULL CHECK (length(id) = 16),
    at        INTEGER NOT NULL,
    session   BLOB,
    memory    BLOB    NOT NULL,
    kind      TEXT    NOT NULL,
    influence TEXT,
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, memory) REFERENCES memory (owner_id, id)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_moment ON usage (owner_id, at, id);
CREATE INDEX usage_memory ON usage (owner_id, memory);

-- A rowid table: vectors are large, and scanning them is what it is for.
CREATE TABLE embedding (
    owner_id INTEGER NOT NULL,
    memory   BLOB    NOT NULL,
    document INTEGER NOT NULL,
    embedder TEXT    NOT NULL,
    vector   BLOB    NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0),
    FOREIGN KEY (owner_id, memory) REFERENCES memory (owner_id, id)
        ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE UNIQUE INDEX embedding_key ON embedding (owner_id, memory, embedder);

CREATE TABLE operation (
    owner_id INTEGER NOT NULL REFERENCES owner (id),
    id       BLOB    NOT NULL CHECK (length(id) = 16),
    at       INTEGER NOT NULL,
    receipt  TEXT    NOT NULL,
    PRIMARY KEY (owner_id, id)
) STRICT, WITHOUT ROWID;

-- The keyword index of memories: derived, rebuilt when the terms change.
CREATE TABLE posting (
    owner_id  INTEGER NOT NULL,
    term      TEXT    NOT NULL,
    document  INTEGER NOT NULL,
    frequency INTEGER NOT NULL,
    length    INTEGER NOT NULL,
    PRIMARY KEY (owner_id, term, document)
) STRICT, WITHOUT ROWID;

-- The keyword index of messages, in segments: derived as well. An owner's messages up to the mark `through`
-- of the last segment are in one; later ones wait, and are searched as they are.
CREATE TABLE message_segment (
    owner_id INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    level    INTEGER NOT NULL,
    through  INTEGER NOT NULL,
    PRIMARY KEY (owner_id, number)
) STRICT, WITHOUT ROWID;

-- The postings are numbers between blanks: ordinal, frequency and length, again and again.
CREATE TABLE message_posting (
    owner_id INTEGER NOT NULL,
    segment  INTEGER NOT NULL,
    term     TEXT    NOT NULL,
    postings TEXT    NOT NULL,
    PRIMARY KEY (owner_id, segment, term)
) STRICT, WITHOUT ROWID;

-- What the file was written with: the version of the terms in the keyword index.
CREATE TABLE setting (
    name  TEXT    NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
