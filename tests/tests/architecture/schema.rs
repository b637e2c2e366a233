//! The columns of a schema that can hold text. Reads `CREATE TABLE`, nothing else of SQL.

use std::collections::BTreeSet;

/// `table.column` for every column that is not a number.
pub fn text_columns(schema: &str) -> BTreeSet<String> {
    let plain: String = schema
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default())
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut columns = BTreeSet::new();
    for statement in plain.split("CREATE ").skip(1) {
        let (head, body) = statement.split_once('(').unwrap_or((statement, ""));
        let mut head: Vec<&str> = head.split_whitespace().collect();
        head.retain(|word| !["IF", "NOT", "EXISTS"].contains(word));
        match head.as_slice() {
            ["TABLE", table] => columns.extend(
                definitions(body)
                    .into_iter()
                    .filter_map(text_column)
                    .map(|column| format!("{table}.{column}")),
            ),
            // A virtual table keeps text in places that no column shows.
            ["VIRTUAL", "TABLE", table, ..] => {
                columns.insert(format!("{table}.*"));
            }
            _ => {}
        }
    }
    columns
}

/// The definitions up to the closing bracket, divided by the commas outside brackets.
fn definitions(body: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut depth = 0;
    for character in body.chars() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                found.push(String::new());
                continue;
            }
            _ => {}
        }
        found.last_mut().expect("one at least").push(character);
    }
    found
}

/// The name of a column that is not a number; nothing for a number or a constraint of the table.
fn text_column(definition: String) -> Option<String> {
    let mut words = definition.split(|part: char| part.is_whitespace() || part == '(');
    let mut words = words.by_ref().filter(|word| !word.is_empty());
    let name = words.next()?;
    if ["CHECK", "CONSTRAINT", "FOREIGN", "PRIMARY", "UNIQUE"].contains(&name) {
        return None;
    }
    let number = words.next().is_some_and(|kind| {
        ["BIGINT", "BOOLEAN", "INT", "INTEGER", "REAL", "UUID"].contains(&kind)
    });
    (!number).then(|| name.trim_matches('"').to_owned())
}

#[test]
fn text_columns_are_found() {
    let schema = "
        CREATE TABLE a (
            id BLOB NOT NULL CHECK (length(id) = 16), -- not a TEXT, b TEXT
            count INTEGER NOT NULL DEFAULT (1), weight REAL,
            words TEXT,
            PRIMARY KEY (id, count),
            FOREIGN KEY (id) REFERENCES b (id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX a_words ON a (words);
        CREATE TABLE IF NOT EXISTS b (id ANY, \"key\" TEXT) STRICT;
        CREATE VIRTUAL TABLE c USING fts5(body);
    ";
    let found: Vec<String> = text_columns(schema).into_iter().collect();
    assert_eq!(found, ["a.id", "a.words", "b.id", "b.key", "c.*"]);
}
