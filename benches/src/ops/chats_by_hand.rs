//! Chats in SQLite, written by hand: a table of chats, one of messages, and FTS5 over what was said.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};

use crate::Result;

/// How many characters a model is sent at most: what the views beside it hold.
const VIEW_CHARACTERS: i64 = 102_400;

/// What is done by hand.
#[derive(Debug, Clone, Copy)]
pub enum Act {
    Open,
    Push,
    /// Of the first or the second of the long chats.
    View(usize),
    Close,
    Search,
}

pub struct ByHand {
    connection: Connection,
    long: [i64; 2],
    current: i64,
    last_at: i64,
}

impl ByHand {
    /// Fills a database: so many chats with so many messages, and two longer ones.
    pub fn fill(
        path: &Path,
        chats: usize,
        messages: usize,
        long: [usize; 2],
        words: impl Fn(usize, usize) -> String,
    ) -> Result<Self> {
        let connection = Connection::open(path)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(
            "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON;
             PRAGMA synchronous = OFF;
             CREATE TABLE chat (
                 id INTEGER PRIMARY KEY, opened_at INTEGER NOT NULL, active_at INTEGER NOT NULL,
                 status TEXT NOT NULL, title TEXT, through INTEGER, recap TEXT
             ) STRICT;
             CREATE TABLE message (
                 rowid INTEGER PRIMARY KEY, chat INTEGER NOT NULL REFERENCES chat (id),
                 number INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, at INTEGER NOT NULL
             ) STRICT;
             CREATE UNIQUE INDEX message_number ON message (chat, number);
             CREATE VIRTUAL TABLE message_text USING fts5 (
                 content, content = 'message', content_rowid = 'rowid', tokenize = 'porter unicode61'
             );",
        )?;
        let mut hand = ByHand {
            connection,
            long: [0; 2],
            current: 0,
            last_at: 0,
        };
        for chat in 0..chats + 2 {
            hand.open()?;
            let count = match chat.checked_sub(chats) {
                Some(place) => {
                    hand.long[place] = hand.current;
                    long[place]
                }
                None => messages,
            };
            for number in 0..count {
                hand.push(&words(chat, number))?;
            }
        }
        hand.open()?;
        hand.connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(hand)
    }

    pub fn run(&mut self, act: Act, content: &str, query: &str) -> Result<()> {
        match act {
            Act::Open => self.open(),
            Act::Push => self.push(content),
            Act::View(place) => self.view(self.long[place]),
            Act::Close => self.close(),
            Act::Search => self.search(query),
        }
    }

    fn open(&mut self) -> Result<()> {
        self.last_at += 1;
        self.connection
            .prepare_cached(
                "INSERT INTO chat (opened_at, active_at, status) VALUES (?1, ?1, 'active')",
            )?
            .execute([self.last_at])?;
        self.current = self.connection.last_insert_rowid();
        Ok(())
    }

    fn push(&mut self, content: &str) -> Result<()> {
        self.last_at += 1;
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction
            .prepare_cached(
                "INSERT INTO message (chat, number, role, content, at)
                 SELECT ?1, coalesce(max(number), 0) + 1, 'user', ?2, ?3 FROM message WHERE chat = ?1",
            )?
            .execute(params![self.current, content, self.last_at])?;
        let row = transaction.last_insert_rowid();
        transaction
            .prepare_cached("INSERT INTO message_text (rowid, content) VALUES (?1, ?2)")?
            .execute(params![row, content])?;
        transaction
            .prepare_cached("UPDATE chat SET active_at = ?2 WHERE id = ?1")?
            .execute([self.current, self.last_at])?;
        Ok(transaction.commit()?)
    }

    fn view(&self, chat: i64) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT number, role, content, at FROM message WHERE chat = ?1 ORDER BY number DESC",
        )?;
        let mut rows = statement.query([chat])?;
        let mut shown: Vec<(i64, String, String, i64)> = Vec::new();
        let mut characters = 0;
        while let Some(row) = rows.next()? {
            let content: String = row.get(2)?;
            characters += i64::try_from(content.len())?;
            shown.push((row.get(0)?, row.get(1)?, content, row.get(3)?));
            if characters > VIEW_CHARACTERS {
                break;
            }
        }
        shown.reverse();
        std::hint::black_box(shown);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let through: i64 = self
            .connection
            .prepare_cached("SELECT coalesce(max(number), 0) FROM message WHERE chat = ?1")?
            .query_row([self.current], |row| row.get(0))?;
        self.connection
            .prepare_cached("UPDATE chat SET status = 'idle', through = ?2 WHERE id = ?1")?
            .execute([self.current, through])?;
        Ok(())
    }

    fn search(&self, query: &str) -> Result<()> {
        let words: Vec<String> = query
            .split_whitespace()
            .map(|word| format!("\"{}\"", word.replace('"', "")))
            .collect();
        let mut statement = self.connection.prepare_cached(
            "SELECT message.chat, message.number, snippet(message_text, 0, '[', ']', '…', 20), chat.title
             FROM message_text JOIN message ON message.rowid = message_text.rowid
             JOIN chat ON chat.id = message.chat
             WHERE message_text MATCH ?1 ORDER BY rank LIMIT 80",
        )?;
        let found: Vec<(i64, i64, String, Option<String>)> = statement
            .query_map([words.join(" OR ")], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?
            .collect::<std::result::Result<_, _>>()?;
        std::hint::black_box(found);
        Ok(())
    }
}
