//! What a close tells of a chat: nothing that it has just refused to learn.

use crate::ids::Number;
use crate::plan::learn::{Candidate, Grounds, Learning, Lessons, Verb};
use crate::plan::spans::stretches;
use crate::plan::{Happened, Planning};
use crate::refusal::Code;
use crate::report::{Fate, Lesson};

impl Lessons<'_> {
    /// Keeps what happened, where anything of it may be kept. Otherwise there is none: nobody waits for it.
    pub(super) fn keep_episode(
        &mut self,
        happened: &Happened,
        learning: &Learning<'_>,
        lessons: &[Lesson],
    ) -> Planning<Option<Number>> {
        let judged = || learning.candidates.iter().zip(lessons);
        let unwelcome = judged().filter(|(candidate, lesson)| is_unwelcome(candidate, lesson));
        let unwelcome = unwelcome.filter_map(|(candidate, _)| match &candidate.grounds {
            Grounds::Said { evidence, .. } => Some(evidence),
            _ => None,
        });
        let mut untellable = self.planner.untellable();
        untellable.extend(unwelcome.flat_map(|evidence| stretches(std::slice::from_ref(evidence))));
        // A model that still speaks of what was forgotten may do so here too.
        let is_forgotten = |lesson: &Lesson| lesson.codes.contains(&Code::Forgotten);
        let told = learning.told.filter(|_| !lessons.iter().any(is_forgotten));
        let Some((claim, marks)) = self.planner.episode(happened, told, &untellable) else {
            return Ok(None);
        };
        let number = self.planner.draft.new_number()?;
        self.planner.draft.insert_version(number, claim, marks)?;
        self.is_any = true;
        Ok(Some(number))
    }
}

/// Whether words may not be told either: they ask for an end, wait for the user's word, or are what nobody may
/// keep.
fn is_unwelcome(candidate: &Candidate, lesson: &Lesson) -> bool {
    let kept_nowhere = [
        Code::Forgotten,
        Code::Sensitive,
        Code::Secret,
        Code::Instruction,
    ];
    candidate.verb == Verb::Forget
        || lesson.fate == Fate::Proposed
        || lesson.codes.iter().any(|code| kept_nowhere.contains(code))
}
