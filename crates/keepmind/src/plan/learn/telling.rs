//! What is told of a candidate: its fate, and no words that may be kept nowhere.

use crate::ids::Number;
use crate::plan::learn::{Candidate, Lessons, Verb};
use crate::refusal::{Code, Refusal};
use crate::report::{Fate, Lesson};
use crate::text;

impl Lessons<'_> {
    pub(super) fn told(
        &self,
        candidate: &Candidate,
        fate: Fate,
        number: Option<Number>,
        reason: &str,
    ) -> Lesson {
        let content = match candidate.verb {
            // What is to be left is nobody's to look at.
            Verb::Skip => None,
            _ => self.shown(&candidate.save.content),
        };
        let quote = candidate.grounds.quote();
        Lesson {
            fate,
            number,
            proposal: None,
            content,
            quote: quote.and_then(|quote| self.shown(quote)),
            codes: Vec::new(),
            reason: reason.to_owned(),
        }
    }

    /// Words as a report may show them: what was judged was looked through already.
    fn shown(&self, words: &str) -> Option<String> {
        let is_shown = !words.is_empty() && self.planner.reading(words).secret().is_none();
        is_shown.then(|| words.to_owned())
    }
}

/// Words as a report may show them: none that hold a secret.
fn shown(words: &str) -> Option<String> {
    let is_shown = !words.is_empty() && text::secret(words).is_none();
    is_shown.then(|| words.to_owned())
}

/// The report on a candidate that a rule said no to.
pub(super) fn refused(candidate: &Candidate, refusal: &Refusal) -> Lesson {
    let codes: Vec<Code> = refusal.codes().collect();
    // What must not be kept is not kept in a report either.
    let is_private = |code: &Code| matches!(code, Code::Secret | Code::Sensitive);
    let is_shown = !codes.iter().any(is_private);
    let shown = |words: &str| shown(words).filter(|_| is_shown);
    Lesson {
        fate: Fate::Refused,
        number: None,
        proposal: None,
        content: shown(&candidate.save.content),
        quote: candidate.grounds.quote().and_then(shown),
        codes,
        reason: refusal.message.clone(),
    }
}
