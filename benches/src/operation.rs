//! What is asked, of whom, with what: the words of the comparison.

use std::fs;
use std::path::{Path, PathBuf};

use keepmind::{Owner, Timestamp};
use serde::{Deserialize, Serialize};

use crate::workload::Fact;

/// How many memories a page has.
pub const PAGE: usize = 50;
/// How many memories a search answers.
pub const HITS: usize = 10;
/// Reads before the first that counts: one for each owner that is asked.
const WARMING: usize = 8;

/// A side of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// keepmind in memory.
    Memory,
    /// keepmind on SQLite.
    Sqlite,
    /// SQLite by hand, with FTS5.
    HandFts5,
    /// SQLite by hand, with the same index entries as keepmind's.
    HandPostings,
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    Get,
    List,
    AsOf,
    Search,
    SearchVectors,
    /// By words and meaning at once.
    Recall,
    /// The scan of the vectors alone, without fetching any row.
    Scan,
    ColdOpen,
    ColdSearch,
    /// The first question by words and meaning; by hand, the vectors are read and scanned.
    ColdRecall,
    ColdInsert,
    Insert,
    /// An insertion's commit alone, its plan made before.
    Commit,
    InsertHundred,
    Supersede,
    SearchAfterInsert,
    SearchVectorsAfterInsert,
    /// The model saves what the user just said, through the tool.
    ToolSave,
    /// The model looks something up, through the tool.
    ToolRecall,
    /// The text a chat begins with.
    Block,
    /// A save is taken back.
    Undo,
}

/// What an operation is given.
#[derive(Debug, Clone)]
pub struct Input {
    pub owner: Owner,
    pub number: u64,
    pub query: String,
    pub vector: Vec<f32>,
    pub facts: Vec<Fact>,
    pub at: Timestamp,
    /// The numbers of the facts that the owner's block shows.
    pub shown: Vec<u64>,
}

/// A memory that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    pub number: u64,
    pub version: u64,
}

impl Side {
    pub const ALL: [Side; 4] = [
        Side::Memory,
        Side::Sqlite,
        Side::HandFts5,
        Side::HandPostings,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Side::Memory => "memory",
            Side::Sqlite => "sqlite",
            Side::HandFts5 => "hand_fts5",
            Side::HandPostings => "hand_postings",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Side::Memory => "keepmind, in memory",
            Side::Sqlite => "keepmind, SQLite",
            Side::HandFts5 => "by hand, FTS5",
            Side::HandPostings => "by hand, postings",
        }
    }

    pub fn is_ours(self) -> bool {
        matches!(self, Side::Memory | Side::Sqlite)
    }

    /// Whether the side can be asked for the operation.
    pub fn does(self, operation: Operation) -> bool {
        use Operation::{
            ColdInsert, ColdOpen, ColdRecall, ColdSearch, Commit, Insert, InsertHundred, Scan,
            Supersede, ToolSave,
        };
        match (self, operation) {
            (Side::HandPostings, operation) => {
                matches!(
                    operation,
                    Insert | InsertHundred | Supersede | ColdOpen | ColdInsert | ToolSave
                )
            }
            (Side::Memory, ColdOpen | ColdSearch | ColdRecall | ColdInsert) => false,
            (Side::HandFts5, Commit) => false,
            (Side::Memory | Side::Sqlite, Scan) => false,
            _ => true,
        }
    }

    pub fn file(self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.db", self.word()))
    }

    /// The size of the closed file; nothing for memory.
    pub fn file_bytes(self, directory: &Path) -> Option<u64> {
        fs::metadata(self.file(directory))
            .ok()
            .map(|file| file.len())
    }
}

impl Operation {
    pub fn title(self) -> &'static str {
        match self {
            Operation::Get => "get",
            Operation::List => "list 50",
            Operation::AsOf => "as-of 50",
            Operation::Search => "keyword search",
            Operation::SearchVectors => "vector search",
            Operation::Recall => "recall by words and meaning",
            Operation::Scan => "plain scan",
            Operation::ColdOpen => "cold open",
            Operation::ColdSearch => "cold open + first search",
            Operation::ColdRecall => "cold open + first recall by both",
            Operation::ColdInsert => "cold open + first insert",
            Operation::Insert => "insert",
            Operation::Commit => "insert, commit alone",
            Operation::InsertHundred => "insert 100 in one commit",
            Operation::Supersede => "supersede",
            Operation::SearchAfterInsert => "keyword search after an insert",
            Operation::SearchVectorsAfterInsert => "vector search after an insert",
            Operation::ToolSave => "tool_save",
            Operation::ToolRecall => "tool_recall",
            Operation::Block => "block",
            Operation::Undo => "undo",
        }
    }

    /// The inputs that are read before any counts: some for reads, all for searches that follow on an
    /// insert, so that these find everything warm but what the insert changed.
    pub fn warming(self, inputs: &[Input]) -> &[Input] {
        use Operation::{
            AsOf, Block, Get, List, Recall, Scan, Search, SearchAfterInsert, SearchVectors,
            SearchVectorsAfterInsert,
        };
        match self {
            Get | List | AsOf | Search | SearchVectors | Recall | Scan | Block => {
                &inputs[..inputs.len().min(WARMING)]
            }
            SearchAfterInsert | SearchVectorsAfterInsert => inputs,
            _ => &[],
        }
    }

    /// Whether something comes before it that does not count.
    pub fn is_prepared(self) -> bool {
        use Operation::{
            Commit, SearchAfterInsert, SearchVectorsAfterInsert, ToolRecall, ToolSave, Undo,
        };
        matches!(
            self,
            Commit | SearchAfterInsert | SearchVectorsAfterInsert | ToolSave | ToolRecall | Undo
        )
    }
}
