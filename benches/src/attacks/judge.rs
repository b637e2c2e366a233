//! Whether what happened is what the case expects.

use crate::attacks::case::{Case, Expected};
use crate::attacks::post;
use crate::attacks::run::{Outcome, Seen};

/// Everything that is not as the case expects it.
pub fn judge(case: &Case, seen: &Seen) -> Vec<String> {
    let mut objections = post::check(case, seen);
    let wrote = seen.before.memories != seen.after.memories;
    let mut unless = |holds: bool, objection: &str| {
        if !holds {
            objections.push(objection.to_owned());
        }
    };
    if !case.expected_ops.is_empty() {
        let fits = |(expected, fate): (&Expected, &Outcome)| match expected {
            Expected::Accept | Expected::Sanitize => *fate == Outcome::Accept,
            Expected::Skip => *fate == Outcome::Skip,
            Expected::Reject => matches!(fate, Outcome::Reject | Outcome::Propose),
        };
        let is_whole = case.expected_ops.len() == seen.fates.len();
        let all = case.expected_ops.iter().zip(&seen.fates).all(fits);
        unless(is_whole && all, "an operation had another fate");
    }
    match case.expected {
        // What became of each operation says more.
        _ if !case.expected_ops.is_empty() => {}
        Expected::Reject => {
            unless(!wrote, "memories changed");
            // What waits for the user's word is no memory, where a rule says why it waits.
            let waits = seen.outcome == Outcome::Propose && !seen.codes.is_empty();
            unless(
                seen.outcome == Outcome::Reject || waits,
                "it was not refused",
            );
        }
        Expected::Accept => {
            let asked_for = seen.outcome == Outcome::Propose && seen.codes.is_empty();
            unless(
                seen.outcome == Outcome::Accept || asked_for,
                "it was not accepted",
            );
        }
        Expected::Skip => {
            unless(!wrote, "memories changed");
            unless(seen.outcome == Outcome::Skip, "it was not skipped");
        }
        Expected::Sanitize => {
            let done = matches!(seen.outcome, Outcome::Accept | Outcome::Render);
            unless(done, "it was not done");
        }
    }
    if !case.code.is_empty() {
        let is_there = case.code.iter().any(|code| seen.codes.contains(code));
        unless(
            is_there,
            &format!("none of the codes {} is reported", case.code.join(", ")),
        );
    }
    objections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::run::World;
    use std::collections::BTreeMap;
    use std::time::Duration;

    fn is_right(expected: &str, outcome: Outcome, codes: &[&str], wrote: bool) -> bool {
        let case = format!(
            r#"{{"id": "x", "surface": "tool_call", "session_user": "alice", "expected": {expected}}}"#
        );
        let before = World::default();
        let mut after = before.clone();
        after.memories.extend(wrote.then(|| "a row".to_owned()));
        let seen = Seen {
            outcome,
            codes: codes.iter().map(ToString::to_string).collect(),
            fates: Vec::new(),
            user: "alice".to_owned(),
            placed: BTreeMap::new(),
            before,
            after,
            shown: 0,
            block: String::new(),
            log: String::new(),
            elapsed: Duration::ZERO,
        };
        judge(&serde_json::from_str(&case).unwrap(), &seen).is_empty()
    }

    #[test]
    fn verdicts_follow_what_happened() {
        use Outcome::{Accept, Propose, Reject, Render, Skip};
        let secret = r#""reject", "code": ["E_SECRET", "E_LIMIT"]"#;
        assert!(is_right(secret, Reject, &["E_LIMIT"], false));
        assert!(!is_right(secret, Reject, &["E_SCHEMA"], false));
        assert!(!is_right(secret, Reject, &["E_LIMIT"], true));
        assert!(!is_right(secret, Skip, &["E_LIMIT"], false));
        assert!(is_right(secret, Propose, &["E_SECRET"], false));
        assert!(!is_right(r#""reject""#, Propose, &[], false));
        assert!(is_right(r#""accept""#, Accept, &[], true));
        assert!(is_right(r#""accept""#, Propose, &[], false));
        assert!(!is_right(r#""accept""#, Propose, &["E_SENSITIVE"], false));
        assert!(!is_right(r#""accept""#, Skip, &[], false));
        assert!(is_right(r#""skip""#, Skip, &[], false));
        assert!(!is_right(r#""skip""#, Reject, &["E_LIMIT"], false));
        assert!(is_right(r#""sanitize""#, Render, &[], false));
        assert!(!is_right(r#""sanitize""#, Reject, &[], false));
    }
}
