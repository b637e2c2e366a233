//! How a fact is named in a command or a query.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::{Number, RowId};

/// Which fact: `#12`, `12`, a row's full id, or part of its content that no other live fact has.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Which(String);

impl Which {
    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a fact's number as it is shown, which means the same whatever facts there are.
    pub(crate) fn is_number(&self) -> bool {
        let digits = self.0.strip_prefix('#').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }
}

impl<'de> Deserialize<'de> for Which {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "a fact is named by a number, \"#12\", an id or part of its content"
        )]
        enum Written {
            Number(u64),
            Text(String),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Number(number) => Which(format!("#{number}")),
            Written::Text(text) => Which(text),
        })
    }
}

impl From<&str> for Which {
    fn from(text: &str) -> Self {
        Which(text.to_owned())
    }
}

impl From<String> for Which {
    fn from(text: String) -> Self {
        Which(text)
    }
}

impl From<Number> for Which {
    fn from(number: Number) -> Self {
        Which(number.to_string())
    }
}

impl From<RowId> for Which {
    fn from(id: RowId) -> Self {
        Which(id.to_string())
    }
}

impl fmt::Display for Which {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
