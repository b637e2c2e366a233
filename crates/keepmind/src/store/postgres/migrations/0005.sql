-- New facts wait for the keyword index, as messages do, and many are put into it at once: up to which number all are
-- in it. All that are there are, whatever their numbers.
ALTER TABLE owner ADD COLUMN facts_indexed_through BIGINT NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE owner ALTER COLUMN facts_indexed_through DROP DEFAULT;

-- The open ones have an index by origin of their own: a new memory belongs to one of them.
DROP INDEX memory_origin;
CREATE INDEX memory_origin ON memory (owner_id, origin) WHERE ended_at IS NOT NULL;

-- Whether the vector stands in the column `near` too, which there is only where the server has the extension pgvector. A process
-- that does not know of it writes vectors nevertheless, and says here that what stands there is another.
ALTER TABLE embedding ADD COLUMN has_near BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE embedding ALTER COLUMN has_near DROP DEFAULT;
