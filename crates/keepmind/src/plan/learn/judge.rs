//! One candidate, judged: everything that speaks against it is said at once; what speaks only for asking
//! makes it wait; what is left is done.

use crate::command::Update;
use crate::ids::Number;
use crate::memory::{Authority, Evidence, Trust};
use crate::plan::faults::Faults;
use crate::plan::learn::change::Deed;
use crate::plan::learn::gate::form;
use crate::plan::learn::person::is_first_person;
use crate::plan::learn::support::{has_same_polarity, is_supported};
use crate::plan::learn::telling::refused;
use crate::plan::learn::{About, Candidate, Grounds, Lessons, Near, Verb};
use crate::plan::save::Worded;
use crate::plan::{Objection, Planning};
use crate::policy::WriteMode;
use crate::refusal::{Code, Refusal};
use crate::report::{Fate, Lesson};
use crate::row::MemoryRow;
use crate::text;

impl Lessons<'_> {
    pub(super) fn judge(&mut self, candidate: &Candidate, near: &Near) -> Planning<Lesson> {
        // What was read for one candidate is of no use to the next.
        self.planner.readings.borrow_mut().clear();
        let mut faults = Faults::default();
        for code in &candidate.codes {
            faults.add(Refusal::new(*code, form(*code)));
        }
        match candidate.verb {
            Verb::Skip => Ok(match faults.finish(()) {
                Ok(()) => self.told(candidate, Fate::Skipped, None, "there is nothing to keep"),
                Err(refusal) => refused(candidate, &refusal),
            }),
            Verb::Confirm => self.judge_affirmation(candidate, near, faults),
            Verb::Forget => self.judge_wish_to_forget(candidate, near, faults),
            Verb::Add | Verb::Update => self.judge_words(candidate, near, faults),
        }
    }

    fn judge_words(
        &mut self,
        candidate: &Candidate,
        near: &Near,
        mut faults: Faults,
    ) -> Planning<Lesson> {
        let given = candidate.save.content.as_str();
        let content = text::line(given).unwrap_or_else(|_| given.to_owned());
        let meaning = self.meaning_of(&content);
        let kept = self.kept_near(near);
        let target = faults.take(self.target_of(candidate, &kept, &meaning));
        self.check_grounds(candidate, near, &content, &meaning, &mut faults);
        self.check_floors(candidate, &mut faults);
        if is_first_person(&content) {
            let message = "it must be written about the user, in the third person";
            faults.add(Refusal::new(Code::Schema, message));
        }
        let known = target.as_ref().map_or("", |row| &row.body.claim.content);
        let value = candidate.save.value.as_ref().map(ToString::to_string);
        let quoted = candidate.quoted(self.turn);
        let in_message = quoted.map(|(said, _)| said);
        let is_invented = |words: &str| !is_supported(words, known, in_message, self.turn);
        if is_invented(&content) || value.as_deref().is_some_and(is_invented) {
            let message = "it holds a name, number or link that the user did not say";
            faults.add(Refusal::new(Code::UnsupportedDetail, message));
        }
        if let Some((said, span)) = quoted
            && !has_same_polarity(&content, meaning.is_negated(), said, span)
        {
            let message = "it denies what the user did not deny, or the other way round";
            faults.add(Refusal::new(Code::UnsupportedDetail, message));
        }
        let same = self.same_as(candidate, near, &kept, &meaning);
        let rival = match same {
            Some(_) => None,
            None => self.contradicted_by(&kept, &meaning, target.as_ref()),
        };
        let changed = target.or(rival);
        if let Some(row) = &changed
            && row.body.claim.source.is_explicit()
            && same != Some(row.body.number)
        {
            self.record_conflict(row);
            let message =
                "the user said otherwise on purpose: what is only inferred cannot change that";
            faults.add(Refusal::new(Code::Tier, message));
        }
        let worded = self.worded(candidate, changed.as_ref(), &mut faults);
        let newer = changed.as_ref().filter(|row| is_newer(row, candidate));
        if let (Some(row), None, true) = (newer, same, faults.is_empty()) {
            let number = Some(row.body.number);
            return Ok(self.told(candidate, Fate::Skipped, number, OVERTAKEN));
        }
        match (faults.finish(worded), same) {
            (Err(refusal), Some(number)) if refusal.codes().all(|code| code == Code::Echo) => {
                Ok(self.told(candidate, Fate::Skipped, Some(number), KNOWN))
            }
            (Err(refusal), _) => Ok(refused(candidate, &refusal)),
            (Ok(_), Some(number)) => self.known_already(candidate, near, number),
            (Ok(None), None) => Err(Objection::Refused(Refusal::new(
                Code::Schema,
                form(Code::Schema),
            ))),
            (Ok(Some(worded)), None) => {
                let deed = Deed {
                    worded,
                    changed,
                    vector: near.vector.as_ref(),
                };
                self.carry_out(candidate, deed)
            }
        }
    }

    /// The same chat says otherwise further on.
    pub(super) fn overtaken(&self, candidate: &Candidate) -> Lesson {
        self.told(candidate, Fate::Skipped, None, OVERTAKEN)
    }

    /// Nothing is said that is not known. What is not believed yet counts how often it is said, and so does
    /// what was believed after it was said before.
    fn known_already(
        &mut self,
        candidate: &Candidate,
        near: &Near,
        number: Number,
    ) -> Planning<Lesson> {
        let is_new = !self.added.iter().any(|added| added.number == number);
        let open = |row: &&MemoryRow| row.is_open() && self.gathers(row);
        let row = self.planner.base().versions(number).find(open).cloned();
        match row.filter(|_| is_new) {
            Some(row) => {
                self.gather(candidate, &row, near.vector.as_ref())?;
                Ok(self.told(candidate, Fate::Confirmed, Some(number), AGAIN))
            }
            None => Ok(self.told(candidate, Fate::Skipped, Some(number), KNOWN)),
        }
    }

    /// Whether a row is told apart by how often it was said: where candidates wait, all that was inferred is.
    fn gathers(&self, row: &MemoryRow) -> bool {
        let is_staged = self.planner.policy.extraction.write == WriteMode::Staged;
        row.body.claim.held || is_staged && !row.body.claim.source.is_explicit()
    }

    /// What it would keep: cleaned, screened, within limits, trusted no further than what was inferred.
    fn worded(
        &self,
        candidate: &Candidate,
        changed: Option<&MemoryRow>,
        faults: &mut Faults,
    ) -> Option<Worded> {
        let planner = &self.planner;
        let worded = match changed {
            None => planner.claim(&candidate.save),
            Some(old) => {
                let save = &candidate.save;
                let update = Update {
                    category: save.category.clone(),
                    value: save.value.clone(),
                    since: save.since,
                    correction: candidate.correction,
                    ..Update::new(old.body.number, save.content.as_str())
                };
                planner.successor(old, &update)
            }
        };
        let mut worded = faults.take(worded.map(Some))?;
        let claim = &mut worded.claim;
        claim.trust = Trust::Extracted;
        if let Grounds::Said { evidence, at } = &candidate.grounds {
            claim.evidence = vec![evidence.clone()];
            // It is true since it was said, however much later a chat is learned from.
            if candidate.save.since.is_none() && !candidate.correction {
                claim.valid_from = claim.valid_from.min(*at);
            }
        }
        if let Some(Evidence::Quote { message, .. }) = claim.evidence.first() {
            claim.messages = vec![*message];
        }
        worded.marks = self.marks(candidate);
        if let (Some(old), None) = (changed, candidate.save.importance) {
            worded.marks.importance = old.marks.importance;
        }
        if candidate.save.authority == Some(Authority::Rule) || candidate.save.authorises_action {
            worded.doubts.push(Code::QuoteNotFound);
        }
        let matters = self.planner.policy.floors.contradiction_importance;
        if changed.is_some_and(|row| row.marks.importance >= matters) {
            worded.doubts.push(Code::Tier);
        }
        Some(worded)
    }

    /// The user says that something is still so.
    fn judge_affirmation(
        &mut self,
        candidate: &Candidate,
        near: &Near,
        mut faults: Faults,
    ) -> Planning<Lesson> {
        let meaning = self.meaning_of(&candidate.save.content);
        let kept = self.kept_near(near);
        let target = faults.take(self.target_of(candidate, &kept, &meaning).map(Some));
        if candidate.about == About::Nearest && target == Some(None) {
            // What still holds and nobody knew of is new.
            return self.judge_words(candidate, near, faults);
        }
        let is_bare = matches!(candidate.grounds, Grounds::Missing | Grounds::TooShort);
        if !is_bare {
            self.check_grounds(candidate, near, "", &meaning, &mut faults);
        }
        let only_echoes = |refusal: &Refusal| refusal.codes().all(|code| code == Code::Echo);
        match faults.finish(()) {
            Err(refusal) if !only_echoes(&refusal) => return Ok(refused(candidate, &refusal)),
            _ => {}
        }
        let Some(row) = target.flatten() else {
            return Ok(self.told(candidate, Fate::Skipped, None, "no fact says that"));
        };
        let number = row.body.number;
        let is_affirmed = !row.body.claim.source.is_explicit()
            && self.speaks_of(candidate, &row)
            && !self.added.iter().any(|added| added.number == number);
        if !is_affirmed {
            return Ok(self.told(candidate, Fate::Skipped, Some(number), KNOWN));
        }
        self.affirm(&row)?;
        Ok(self.told(candidate, Fate::Confirmed, Some(number), AGAIN))
    }

    /// The user wants something forgotten: nothing is ended by what was only overheard, but it is asked.
    fn judge_wish_to_forget(
        &mut self,
        candidate: &Candidate,
        near: &Near,
        mut faults: Faults,
    ) -> Planning<Lesson> {
        let meaning = self.meaning_of(&candidate.save.content);
        let kept = self.kept_near(near);
        let target = faults.take(self.target_of(candidate, &kept, &meaning).map(Some));
        match (faults.finish(()), target.flatten()) {
            (Err(refusal), _) => Ok(refused(candidate, &refusal)),
            (Ok(()), None) => Ok(self.told(candidate, Fate::Skipped, None, "no fact says that")),
            (Ok(()), Some(row)) => self.ask_to_forget(candidate, &row),
        }
    }
}

const KNOWN: &str = "it is known already";
const AGAIN: &str = "the user said it again";
const OVERTAKEN: &str = "the user has said otherwise since";

/// Whether a fact was said after what would change it: a chat that was put off is learned from late.
fn is_newer(row: &MemoryRow, candidate: &Candidate) -> bool {
    matches!(&candidate.grounds, Grounds::Said { at, .. } if *at < row.body.claim.valid_from)
}
