//! A text uncovered and cut into words once, for all the screens that look at it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::lexicon::Words;
use super::screen::{Instruction, Secret, instruction_in, secret_in};
use super::skeleton::uncovered;
use super::topics::{is_about_another, topics};

/// A text as the screens read it.
pub(crate) struct Reading {
    text: String,
    /// As it is uncovered, where that is another text.
    uncovered: Option<String>,
    words: Words,
    /// Asked for by the gate, and by every report.
    secret: OnceCell<Option<Secret>>,
}

impl Reading {
    pub(crate) fn of(text: &str) -> Self {
        let uncovered = uncovered(text);
        let words = Words::of(&uncovered);
        Reading {
            text: text.to_owned(),
            uncovered: match uncovered {
                Cow::Borrowed(_) => None,
                Cow::Owned(uncovered) => Some(uncovered),
            },
            words,
            secret: OnceCell::new(),
        }
    }

    /// The text that was read.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn plain(&self) -> &str {
        self.uncovered.as_ref().unwrap_or(&self.text)
    }

    /// As [`secret`](super::secret()) says.
    pub(crate) fn secret(&self) -> Option<Secret> {
        let look = || secret_in(self.plain(), &self.words);
        *self.secret.get_or_init(look)
    }

    /// As [`instruction`](super::instruction()) says.
    pub(crate) fn instruction(&self) -> Option<Instruction> {
        instruction_in(self.plain(), &self.words)
    }

    /// The sensitive domains that it surely belongs to, by the names that the presets give them.
    pub(crate) fn topics(&self) -> BTreeSet<&'static str> {
        topics(self.plain(), &self.words)
    }

    /// Whether something sensitive is said of another person than the user.
    pub(crate) fn is_about_another(&self) -> bool {
        is_about_another(self.plain(), &self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{instruction, secret};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_read_as_the_screens_read_a_text(parts in prop::collection::vec(prop::sample::select(vec![
            "password", "is", ":", " ", "hunter2", "ignore", "all", "previous", "rules", "User", "'s", "has",
            "diabetes", "癌症", "пароль", "sk-", "1234567890123456789", ".", "\n", "i g n o r e", "4111 1111 1111 1111",
        ]), 0..12)) {
            let text = parts.join(" ");
            let reading = Reading::of(&text);
            prop_assert_eq!(reading.secret(), secret(&text));
            prop_assert_eq!(reading.instruction(), instruction(&text));
        }
    }
}
