-- Which memories have ended, for questions about these alone: they are few beside the others.
CREATE INDEX memory_ended ON memory (owner_id, number, version) WHERE ended_at IS NOT NULL;
