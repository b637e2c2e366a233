-- Version 3: where each memory was said, beside what is looked up of open ones: a question asks for all of it.

ALTER TABLE memory ADD COLUMN session BLOB;
-- Derived from the content, with the keyword index.
ALTER TABLE memory ADD COLUMN speaker TEXT;
ALTER TABLE memory ADD COLUMN valid_from INTEGER NOT NULL DEFAULT 0;

UPDATE memory SET
    session = unhex(replace(record ->> '$.body.claim.session', '-', '')),
    valid_from = unixepoch(record ->> '$.body.claim.valid_from') * 1000000;

DROP INDEX memory_content;
CREATE INDEX memory_content ON memory (owner_id, content_hash, number, version, id, session, speaker, valid_from)
    WHERE ended_at IS NULL;

DELETE FROM setting WHERE name = 'terms';
