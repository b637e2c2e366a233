-- The keyword index that SQLite brings along. The text itself stays in the table of memories.

CREATE VIRTUAL TABLE memory_text USING fts5 (
    content, tags, body,
    content = 'memory', content_rowid = 'rowid',
    tokenize = 'porter unicode61'
);
