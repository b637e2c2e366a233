//! Where a page ended, so that the next one begins there.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::owner::Owner;

/// Where a page ended. Opaque to a host; good for the same question of the same owner only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cursor(String);

/// What a cursor belongs to: a cursor of one question is refused by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CursorKind {
    Memories,
    Sessions,
    Messages,
    Observations,
    Traces,
    Usage,
    Forgotten,
}

impl CursorKind {
    fn word(self) -> &'static str {
        match self {
            CursorKind::Memories => "memories",
            CursorKind::Sessions => "sessions",
            CursorKind::Messages => "messages",
            CursorKind::Observations => "observations",
            CursorKind::Traces => "traces",
            CursorKind::Usage => "usage",
            CursorKind::Forgotten => "forgotten",
        }
    }
}

impl Cursor {
    pub(crate) fn new(kind: CursorKind, owner: &Owner, position: impl fmt::Display) -> Self {
        let position = position.to_string();
        Cursor(format!(
            "{} {} {position}{owner}",
            kind.word(),
            position.len()
        ))
    }

    /// The position, if this is a cursor of that kind and owner.
    pub(crate) fn position(
        &self,
        kind: CursorKind,
        owner: &Owner,
        operation: &'static str,
    ) -> Result<&str> {
        let refused = |why| {
            Err(Error::invalid(
                operation,
                format_args!("{why}: pass the cursor of the last page, or none"),
            ))
        };
        let mut parts = self.0.splitn(3, ' ');
        let (Some(word), Some(length), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return refused("this is not a cursor");
        };
        if word != kind.word() {
            return refused("the cursor belongs to another question");
        }
        let Some((position, name)) = length
            .parse()
            .ok()
            .and_then(|length| rest.split_at_checked(length))
        else {
            return refused("this is not a cursor");
        };
        if name != owner.as_str() {
            return refused("the cursor belongs to another owner");
        }
        Ok(position)
    }
}

impl From<String> for Cursor {
    fn from(text: String) -> Self {
        Cursor(text)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_owner_and_question_only() {
        let alice = Owner::new("alice").unwrap();
        let cursor = Cursor::new(CursorKind::Memories, &alice, "12 3");
        assert_eq!(
            cursor
                .position(CursorKind::Memories, &alice, "list")
                .unwrap(),
            "12 3"
        );
        assert!(
            cursor
                .position(CursorKind::Messages, &alice, "list")
                .is_err()
        );
        let other = Owner::new("12 3alice").unwrap();
        assert!(
            cursor
                .position(CursorKind::Memories, &other, "list")
                .is_err()
        );
        for forged in [
            "",
            "memories",
            "memories 99 12",
            "memories -1 x",
            "memories 1 éalice",
        ] {
            let cursor = Cursor::from(forged.to_owned());
            assert!(
                cursor
                    .position(CursorKind::Memories, &alice, "list")
                    .is_err(),
                "{forged}"
            );
        }
    }
}
