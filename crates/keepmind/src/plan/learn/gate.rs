//! What speaks against a candidate by itself: its form, its quote, what was forgotten, how sure it is.

use crate::ids::Number;
use crate::plan::faults::Faults;
use crate::plan::learn::alike::Meaning;
use crate::plan::learn::{Candidate, Grounds, Lessons, Near};
use crate::plan::spans::stretches;
use crate::refusal::{Code, Refusal};
use crate::row::Why;

impl Lessons<'_> {
    pub(super) fn check_grounds(
        &self,
        candidate: &Candidate,
        near: &Near,
        content: &str,
        meaning: &Meaning,
        faults: &mut Faults,
    ) {
        let (code, message) = match &candidate.grounds {
            Grounds::Said { .. } if self.quotes_secret(candidate) => (
                Code::Secret,
                "the quote holds a secret: secrets are never kept",
            ),
            Grounds::Said { evidence, at } => {
                let entombed = stretches(std::slice::from_ref(evidence))
                    .any(|range| self.planner.is_entombed(range));
                let ended = |number: &Number| {
                    let last = self.planner.base().versions(*number).last();
                    last.is_some_and(|row| {
                        let is_forgotten =
                            |end: crate::row::End| end.why == Why::Forgotten && *at < end.at;
                        row.end.is_some_and(is_forgotten)
                            && meaning
                                .adds_nothing_to(&self.meaning_of_row(row), self.planner.policy)
                    })
                };
                let is_old = !content.is_empty() && near.forgotten.iter().any(ended);
                if !entombed && !is_old {
                    return;
                }
                (
                    Code::Forgotten,
                    "the user had this forgotten, and has not said it since",
                )
            }
            Grounds::Foreign => (
                Code::QuoteWrongRole,
                "the quote is not the user's own words",
            ),
            Grounds::Served => (Code::Echo, "it only repeats what memory itself had said"),
            Grounds::Nowhere => (
                Code::QuoteNotFound,
                "the quote stands in no message of the user's",
            ),
            Grounds::TooShort => (Code::QuoteTooShort, "the quote says too little by itself"),
            Grounds::Missing => (Code::QuoteMissing, form(Code::QuoteMissing)),
        };
        faults.add(Refusal::new(code, message));
    }

    fn quotes_secret(&self, candidate: &Candidate) -> bool {
        // A content is often the quote itself: it is read once.
        let is_secret = |quote| self.planner.reading(quote).secret().is_some();
        candidate.grounds.quote().is_some_and(is_secret)
    }

    pub(super) fn check_floors(&self, candidate: &Candidate, faults: &mut Faults) {
        let floors = &self.planner.policy.floors;
        let is_sure = candidate.confidence.is_none_or(|sure| sure >= floors.keep);
        let matters = match (floors.keep_importance, candidate.save.importance) {
            (Some(floor), Some(importance)) => importance >= floor,
            _ => true,
        };
        if !is_sure || !matters {
            let message = "it is not sure or important enough to be kept";
            faults.add(Refusal::new(Code::Confidence, message));
        }
    }
}

/// What is wrong with the form of an operation.
pub(super) fn form(code: Code) -> &'static str {
    match code {
        Code::NotFound => "it names a fact that is not there",
        Code::OperationUnknown => "there is no such operation",
        Code::DuplicateTarget => "another operation is about the same fact",
        Code::QuoteMissing => "it rests on no words",
        Code::Confidence => "its confidence or importance is no share from 0 to 1",
        Code::Limit => "too many operations rest on the same words",
        _ => "a field is missing, unknown or of the wrong type",
    }
}
