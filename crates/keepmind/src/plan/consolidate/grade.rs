//! How often something recurred, and what that makes of it.

use std::collections::BTreeSet;

use crate::consolidated::Grade;
use crate::ids::SessionId;
use crate::memory::{Claim, Evidence, Marks};
use crate::order::Gather;
use crate::policy::Grades;

/// How often something was said or seen, and on how many occasions: chats, or days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    pub times: usize,
    pub occasions: usize,
}

impl Times {
    /// How often a claim was said: once for every piece of its evidence.
    pub(crate) fn said(claim: &Claim) -> Self {
        let quoted = claim.evidence.iter().filter_map(|piece| match piece {
            Evidence::Quote { session, .. } => Some(*session),
            Evidence::Observation { .. } => None,
        });
        let chats: BTreeSet<SessionId> = quoted.chain(claim.session).gather();
        Times {
            times: claim.evidence.len().max(1),
            occasions: chats.len().max(1),
        }
    }

    pub(crate) fn grade(self, contradictions: u32, grades: &Grades) -> Grade {
        let reaches = |wanted: u32, found: usize| found >= wanted as usize;
        let is_strong = reaches(grades.strong_times, self.times)
            && reaches(grades.strong_sessions, self.occasions)
            && contradictions == 0;
        if is_strong {
            Grade::Strong
        } else if reaches(grades.tentative_times, self.times) {
            Grade::Tentative
        } else {
            Grade::Candidate
        }
    }
}

/// The marks of something that is believed with that grade. What was said once matters as it did.
pub(super) fn graded(marks: Marks, grade: Grade, grades: &Grades) -> Marks {
    let importance = match grade {
        Grade::Strong => marks.importance.max(grades.strong_importance),
        Grade::Tentative => marks.importance.clamp(
            grades.tentative_importance_lowest,
            grades.tentative_importance_highest,
        ),
        Grade::Candidate => marks.importance,
    };
    Marks {
        importance,
        ..marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn what_recurs_is_believed_by_how_often_and_on_how_many_occasions() {
        let grades = Policy::observer().grades;
        // Per times, occasions and contradictions.
        let table = [
            (1, 1, 0, Grade::Candidate, 0.3),
            (2, 1, 0, Grade::Tentative, 0.4),
            (4, 4, 0, Grade::Tentative, 0.4),
            (5, 1, 0, Grade::Tentative, 0.4),
            (5, 2, 0, Grade::Strong, 0.9),
            (9, 9, 1, Grade::Tentative, 0.4),
        ];
        for (times, occasions, contradictions, expected, importance) in table {
            let grade = Times { times, occasions }.grade(contradictions, &grades);
            assert_eq!(grade, expected, "{times} in {occasions}");
            let marks = Marks {
                importance: 0.3,
                ..Marks::default()
            };
            assert_eq!(graded(marks, grade, &grades).importance, importance);
        }
        let sure = Marks {
            importance: 1.0,
            ..Marks::default()
        };
        assert_eq!(graded(sure, Grade::Strong, &grades).importance, 1.0);
        assert_eq!(graded(sure, Grade::Tentative, &grades).importance, 0.6);
    }
}
