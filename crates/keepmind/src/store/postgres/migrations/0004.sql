-- Every message moves its chat's last moment. Its hour alone is in the index, so that nearly all of them leave the
-- index as it is, and the row's new version is put beside the old one. The table is written anew, once.
DROP INDEX session_recency;
ALTER TABLE session ADD COLUMN active_hour BIGINT;
ALTER TABLE session
    SET (fillfactor = 50),
    ALTER COLUMN active_hour TYPE BIGINT USING active_at / 3600000000,
    ALTER COLUMN active_hour SET NOT NULL;
CREATE INDEX session_recency ON session (owner_id, active_hour);
