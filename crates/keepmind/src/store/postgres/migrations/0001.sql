CREATE TABLE owner (
    id                UUID   PRIMARY KEY,
    name              TEXT   COLLATE "C" NOT NULL,
    writes            BIGINT NOT NULL,
    epoch             UUID   NOT NULL,
    revision          BIGINT NOT NULL CHECK (revision >= 0),
    next_number       BIGINT NOT NULL CHECK (next_number >= 1),
    last_stamp        BIGINT,
    embedding_changes BIGINT NOT NULL,
    memory_documents  BIGINT NOT NULL,
    memory_length     BIGINT NOT NULL,
    message_documents BIGINT NOT NULL,
    message_length    BIGINT NOT NULL,
    last_ordinal      BIGINT,
    indexed_through   BIGINT NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX owner_name ON owner (name);

CREATE TABLE fact (
    owner_id UUID   NOT NULL,
    number   BIGINT NOT NULL CHECK (number >= 1),
    PRIMARY KEY (owner_id, number)
);

CREATE TABLE memory (
    owner_id     UUID    NOT NULL,
    id           UUID    NOT NULL,
    number       BIGINT  NOT NULL,
    version      BIGINT  NOT NULL CHECK (version >= 1),
    origin       UUID    NOT NULL,
    layer        TEXT    COLLATE "C" NOT NULL,
    category     TEXT    COLLATE "C" NOT NULL,
    authority    TEXT    COLLATE "C" NOT NULL,
    domain       TEXT    COLLATE "C",
    key          TEXT    COLLATE "C",
    held         BOOLEAN NOT NULL,
    expires_at   BIGINT,
    content_hash BIGINT  NOT NULL,
    record       TEXT    COLLATE "C" NOT NULL,
    marks        TEXT    COLLATE "C",
    ended_at     BIGINT,
    ending       TEXT    COLLATE "C" CHECK ((ending IS NULL) = (ended_at IS NULL)),
    session      UUID,
    speaker      TEXT    COLLATE "C",
    valid_from   BIGINT  NOT NULL,
    PRIMARY KEY (owner_id, id)
);
CREATE UNIQUE INDEX memory_version ON memory (owner_id, number, version);
CREATE INDEX memory_origin ON memory (owner_id, origin);
CREATE INDEX memory_content ON memory (owner_id, content_hash) WHERE ended_at IS NULL;
CREATE INDEX memory_expiry ON memory (owner_id, expires_at) WHERE ended_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX memory_held ON memory (owner_id, number) WHERE ended_at IS NULL AND held;
CREATE UNIQUE INDEX memory_open_origin ON memory (owner_id, origin) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX memory_open_number ON memory (owner_id, number) WHERE ended_at IS NULL AND NOT held;
CREATE UNIQUE INDEX memory_open_rule ON memory (owner_id, domain, key)
    WHERE ended_at IS NULL AND NOT held AND authority = 'rule';

CREATE TABLE link (
    owner_id    UUID   NOT NULL,
    id          UUID   NOT NULL,
    origin      UUID   NOT NULL,
    recorded_at BIGINT NOT NULL,
    from_number BIGINT NOT NULL,
    to_number   BIGINT NOT NULL,
    relation    TEXT   COLLATE "C" NOT NULL,
    ended_at    BIGINT CHECK (ended_at >= recorded_at),
    ending      TEXT   COLLATE "C" CHECK ((ending IS NULL) = (ended_at IS NULL)),
    PRIMARY KEY (owner_id, id),
    FOREIGN KEY (owner_id, from_number) REFERENCES fact (owner_id, number),
    FOREIGN KEY (owner_id, to_number) REFERENCES fact (owner_id, number)
);
CREATE INDEX link_from ON link (owner_id, from_number);
CREATE INDEX link_to ON link (owner_id, to_number);
CREATE INDEX link_origin ON link (owner_id, origin);
CREATE UNIQUE INDEX link_open_origin ON link (owner_id, origin) WHERE ended_at IS NULL;

CREATE TABLE tombstone (
    owner_id    UUID   NOT NULL,
    id          UUID   NOT NULL,
    origin      UUID   NOT NULL,
    recorded_at BIGINT NOT NULL,
    number      BIGINT NOT NULL,
    session     UUID   NOT NULL,
    message     BIGINT NOT NULL,
    span_start  BIGINT NOT NULL,
    span_end    BIGINT NOT NULL CHECK (span_end > span_start),
    ended_at    BIGINT CHECK (ended_at >= recorded_at),
    ending      TEXT   COLLATE "C" CHECK ((ending IS NULL) = (ended_at IS NULL)),
    PRIMARY KEY (owner_id, id)
);
CREATE INDEX tombstone_number ON tombstone (owner_id, number);
CREATE INDEX tombstone_session ON tombstone (owner_id, session) WHERE ended_at IS NULL;
CREATE INDEX tombstone_origin ON tombstone (owner_id, origin);
CREATE UNIQUE INDEX tombstone_open_origin ON tombstone (owner_id, origin) WHERE ended_at IS NULL;

CREATE TABLE proposal (
    owner_id      UUID   NOT NULL,
    id            UUID   NOT NULL,
    origin        UUID   NOT NULL,
    recorded_at   BIGINT NOT NULL,
    target_number BIGINT,
    rival_number  BIGINT,
    proposal      TEXT   COLLATE "C" NOT NULL,
    ended_at      BIGINT CHECK (ended_at >= recorded_at),
    ending        TEXT   COLLATE "C" CHECK ((ending IS NULL) = (ended_at IS NULL)),
    PRIMARY KEY (owner_id, id)
);
CREATE INDEX proposal_target ON proposal (owner_id, target_number) WHERE target_number IS NOT NULL;
CREATE INDEX proposal_rival ON proposal (owner_id, rival_number) WHERE rival_number IS NOT NULL;
CREATE INDEX proposal_origin ON proposal (owner_id, origin);
CREATE UNIQUE INDEX proposal_open_origin ON proposal (owner_id, origin) WHERE ended_at IS NULL;

CREATE TABLE lineage (
    owner_id UUID NOT NULL,
    row_id   UUID NOT NULL,
    from_id  UUID NOT NULL CHECK (from_id <> row_id),
    PRIMARY KEY (owner_id, row_id, from_id),
    FOREIGN KEY (owner_id, row_id) REFERENCES memory (owner_id, id) ON DELETE CASCADE,
    FOREIGN KEY (owner_id, from_id) REFERENCES memory (owner_id, id) ON DELETE CASCADE
);
CREATE INDEX lineage_from ON lineage (owner_id, from_id);

CREATE TABLE consent (
    owner_id    UUID    NOT NULL,
    domain      TEXT    COLLATE "C" NOT NULL,
    recorded_at BIGINT  NOT NULL,
    granted     BOOLEAN NOT NULL,
    PRIMARY KEY (owner_id, domain, recorded_at)
);

CREATE TABLE journal (
    owner_id  UUID   NOT NULL,
    revision  BIGINT NOT NULL,
    operation UUID   NOT NULL,
    stamp     BIGINT NOT NULL,
    who       TEXT   COLLATE "C" NOT NULL,
    session   UUID,
    group_id  UUID,
    effects   TEXT   COLLATE "C" NOT NULL,
    undoes    TEXT   COLLATE "C",
    redoes    TEXT   COLLATE "C",
    line      TEXT   COLLATE "C" NOT NULL,
    PRIMARY KEY (owner_id, revision)
);
CREATE INDEX journal_operation ON journal (owner_id, operation);
CREATE INDEX journal_group ON journal (owner_id, group_id) WHERE group_id IS NOT NULL;

CREATE TABLE session (
    owner_id          UUID    NOT NULL,
    id                UUID    NOT NULL,
    opened_at         BIGINT  NOT NULL,
    active_at         BIGINT  NOT NULL,
    status            TEXT    COLLATE "C" NOT NULL,
    deleted_at        BIGINT,
    title             TEXT    COLLATE "C",
    title_by_user     BOOLEAN,
    extracted_through BIGINT,
    attempts          BIGINT  NOT NULL,
    retry_at          BIGINT,
    lease_holder      UUID,
    lease_until       BIGINT,
    recap             TEXT    COLLATE "C",
    recap_through     BIGINT,
    block             TEXT    COLLATE "C",
    block_revision    BIGINT,
    block_rows        TEXT    COLLATE "C",
    served            TEXT    COLLATE "C",
    last_number       BIGINT,
    PRIMARY KEY (owner_id, id)
);
CREATE INDEX session_recency ON session (owner_id, active_at, id);

CREATE TABLE message (
    owner_id  UUID   NOT NULL,
    ordinal   BIGINT NOT NULL,
    session   UUID   NOT NULL,
    number    BIGINT NOT NULL,
    role      TEXT   COLLATE "C" NOT NULL,
    content   TEXT   COLLATE "C" NOT NULL,
    hidden    TEXT   COLLATE "C",
    origin    TEXT   COLLATE "C" NOT NULL,
    untrusted TEXT   COLLATE "C",
    calls     TEXT   COLLATE "C",
    at        BIGINT NOT NULL,
    PRIMARY KEY (owner_id, ordinal)
);
CREATE UNIQUE INDEX message_number ON message (owner_id, session, number);

CREATE TABLE observation (
    owner_id UUID   NOT NULL,
    id       UUID   NOT NULL,
    source   TEXT   COLLATE "C" NOT NULL,
    payload  TEXT   COLLATE "C" NOT NULL,
    at       BIGINT NOT NULL,
    PRIMARY KEY (owner_id, id)
);
CREATE INDEX observation_moment ON observation (owner_id, at, id);

CREATE TABLE trace (
    owner_id    UUID   NOT NULL,
    session     UUID   NOT NULL,
    call        TEXT   COLLATE "C" NOT NULL,
    tool        TEXT   COLLATE "C" NOT NULL,
    arguments   TEXT   COLLATE "C" NOT NULL,
    result      TEXT   COLLATE "C" NOT NULL,
    outcome     TEXT   COLLATE "C" NOT NULL,
    started_at  BIGINT NOT NULL,
    finished_at BIGINT NOT NULL,
    PRIMARY KEY (owner_id, session, call)
);
CREATE INDEX trace_moment ON trace (owner_id, started_at);

CREATE TABLE usage (
    owner_id  UUID   NOT NULL,
    id        UUID   NOT NULL,
    at        BIGINT NOT NULL,
    session   UUID,
    memory    UUID   NOT NULL,
    kind      TEXT   COLLATE "C" NOT NULL,
    influence TEXT   COLLATE "C",
    PRIMARY KEY (owner_id, id)
);
CREATE INDEX usage_moment ON usage (owner_id, at, id);
CREATE INDEX usage_memory ON usage (owner_id, memory);

CREATE TABLE embedding (
    owner_id UUID   NOT NULL,
    memory   UUID   NOT NULL,
    document BIGINT NOT NULL,
    embedder TEXT   COLLATE "C" NOT NULL,
    vector   BYTEA  NOT NULL CHECK (length(vector) > 0 AND length(vector) % 4 = 0),
    PRIMARY KEY (owner_id, memory, embedder)
);

CREATE TABLE operation (
    owner_id UUID   NOT NULL,
    id       UUID   NOT NULL,
    at       BIGINT NOT NULL,
    receipt  TEXT   COLLATE "C" NOT NULL,
    PRIMARY KEY (owner_id, id)
);

CREATE TABLE posting (
    owner_id  UUID    NOT NULL,
    term      TEXT    COLLATE "C" NOT NULL,
    document  BIGINT  NOT NULL,
    frequency BIGINT  NOT NULL,
    length    BIGINT  NOT NULL,
    PRIMARY KEY (owner_id, term, document)
);

CREATE TABLE message_segment (
    owner_id UUID   NOT NULL,
    number   BIGINT NOT NULL,
    level    BIGINT NOT NULL,
    PRIMARY KEY (owner_id, number)
);

CREATE TABLE message_posting (
    owner_id UUID   NOT NULL,
    term     TEXT   COLLATE "C" NOT NULL,
    segment  BIGINT NOT NULL,
    postings TEXT   COLLATE "C" NOT NULL,
    PRIMARY KEY (owner_id, term, segment)
);
