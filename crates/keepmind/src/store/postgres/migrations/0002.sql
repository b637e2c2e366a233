-- Which write moved an owner's counters last. A count alone can come to the same value twice: a server that was set
-- back to an earlier state counts on from there.
ALTER TABLE owner
    ADD COLUMN last_write UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ADD COLUMN revised    UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ADD COLUMN embedded   UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
ALTER TABLE owner
    ALTER COLUMN last_write DROP DEFAULT,
    ALTER COLUMN revised DROP DEFAULT,
    ALTER COLUMN embedded DROP DEFAULT;
