-- The columns and keywords of keepmind's memories, the owner first in every key. Two indexes of a memory's own, where
-- keepmind has ten.

CREATE SCHEMA by_hand;

CREATE TABLE by_hand.owner (
    id               BIGINT PRIMARY KEY,
    next_number      BIGINT NOT NULL DEFAULT 1,
    memory_documents BIGINT NOT NULL DEFAULT 0,
    memory_length    BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE by_hand.memory (
    owner_id      BIGINT NOT NULL,
    number        BIGINT NOT NULL,
    version       BIGINT NOT NULL,
    id            BYTEA  NOT NULL,
    origin        BYTEA  NOT NULL,
    recorded_at   BIGINT NOT NULL,
    layer         TEXT   NOT NULL,
    category      TEXT   NOT NULL,
    authority     TEXT   NOT NULL,
    content       TEXT   NOT NULL,
    body          TEXT,
    tags          TEXT,
    source        TEXT   NOT NULL,
    trust         TEXT   NOT NULL,
    valid_from    BIGINT NOT NULL,
    expires_at    BIGINT,
    importance    DOUBLE PRECISION NOT NULL,
    confidence    DOUBLE PRECISION,
    ended_at      BIGINT,
    end_reason    TEXT,
    superseded_by BYTEA,
    valid_until   BIGINT,
    PRIMARY KEY (owner_id, number, version)
);
CREATE UNIQUE INDEX memory_id ON by_hand.memory (owner_id, id);

CREATE TABLE by_hand.posting (
    owner_id  BIGINT NOT NULL,
    term      TEXT   NOT NULL,
    document  BIGINT NOT NULL,
    frequency BIGINT NOT NULL,
    length    BIGINT NOT NULL,
    PRIMARY KEY (owner_id, term, document)
);
