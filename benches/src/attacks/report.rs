//! What is printed: a line for each case, and one for all.

use serde::Serialize;

use crate::attacks::case::Case;
use crate::attacks::run::Seen;

/// What came of one case.
#[derive(Debug, Serialize)]
pub struct CaseReport {
    pub id: String,
    /// `reject`, `propose`, `accept`, `skip`, `render`; `broken` when it could not be run.
    pub outcome: &'static str,
    pub codes: Vec<String>,
    /// The contents of live facts that were not there before.
    pub stored: Vec<String>,
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(rename = "known_gap", skip_serializing_if = "std::ops::Not::not")]
    pub is_known_gap: bool,
    pub ms: f64,
}

impl CaseReport {
    pub fn of(case: &Case, seen: &Seen, objections: Vec<String>) -> Self {
        let new = seen.new_facts();
        CaseReport {
            id: case.id.clone(),
            outcome: seen.outcome.word(),
            codes: seen.codes.clone(),
            stored: new.into_iter().map(|fact| fact.content.clone()).collect(),
            ok: objections.is_empty(),
            why: (!objections.is_empty()).then(|| objections.join("; ")),
            is_known_gap: case.known_gap,
            ms: (seen.elapsed.as_secs_f64() * 1e5).round() / 100.0,
        }
    }

    pub fn broken(id: String, why: String) -> Self {
        CaseReport {
            id,
            outcome: "broken",
            codes: Vec::new(),
            stored: Vec::new(),
            ok: false,
            why: Some(why),
            is_known_gap: false,
            ms: 0.0,
        }
    }
}

/// What came of all.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    pub cases: usize,
    pub ok: usize,
    pub failed: usize,
    /// Known gaps that are still open.
    pub known_gaps: usize,
    pub max_ms: f64,
}

impl Summary {
    pub fn count(&mut self, report: &CaseReport) {
        self.cases += 1;
        self.max_ms = self.max_ms.max(report.ms);
        let place = match (report.ok, report.is_known_gap) {
            (true, _) => &mut self.ok,
            (false, true) => &mut self.known_gaps,
            (false, false) => &mut self.failed,
        };
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_gaps_are_not_failures() {
        let mut summary = Summary::default();
        let broken = || CaseReport::broken("x".to_owned(), "why".to_owned());
        summary.count(&broken());
        summary.count(&CaseReport {
            is_known_gap: true,
            ms: 3.0,
            ..broken()
        });
        summary.count(&CaseReport {
            ok: true,
            ..broken()
        });
        let line = serde_json::to_string(&summary).unwrap();
        let expected = r#"{"cases":3,"ok":1,"failed":1,"known_gaps":1,"max_ms":3.0}"#;
        assert_eq!(line, expected);
    }
}
