-- Version 2: what was said is indexed many messages at a time, in segments; until then messages wait as they are.

DROP TABLE posting;

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

-- Both are made anew from the rows.
DELETE FROM setting WHERE name = 'terms';
