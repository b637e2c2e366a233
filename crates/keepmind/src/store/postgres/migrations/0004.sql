-- Every message moves its chat's last moment. Its hour alone is in the index, so that nearly all of them leave the
-- index as it is, and the row's new version is put beside the old one.
ALTER TABLE session SET (fillfactor = 50), ADD COLUMN active_hour BIGINT;
UPDATE session SET active_hour = active_at / 3600000000;
ALTER TABLE session ALTER COLUMN active_hour SET NOT NULL;
DROP INDEX session_recency;
CREATE INDEX session_recency ON session (owner_id, active_hour);
