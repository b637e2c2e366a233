//! A model's lines for digests, judged: everything that speaks against one is said at once. What passes is a
//! gist. Nothing else of an answer counts: a model can end, change and promote nothing.

use std::collections::{BTreeMap, BTreeSet};

use time::UtcOffset;

use crate::change::{Draft, Snapshot};
use crate::consolidated::{Settled, Settling};
use crate::digest::DigestKind;
use crate::ids::{Number, Version};
use crate::model::{IdSource, TokenCounter};
use crate::order::Gather;
use crate::plan::consolidate::factoring::says_just;
use crate::plan::digest::{budget_of, citable, takes, text_of};
use crate::plan::faults::Faults;
use crate::plan::gist::{Gist, Gists, Place};
use crate::plan::learn::is_first_person;
use crate::plan::trust::Given;
use crate::plan::{Entry, Findings, Planner, Planning};
use crate::policy::Policy;
use crate::refusal::{Code, Refusal};
use crate::row::MemoryRow;
use crate::text;
use crate::timestamp::Timestamp;

/// How many rows one line may say.
const MOST_CITED: usize = 16;
/// A procedure is a pattern: once is none.
const LEAST_CITED: usize = 2;

/// A line as a model gave it, as far as it could be read. What is wrong with its form stands in `codes`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Offered {
    pub digest: Option<String>,
    pub text: Option<String>,
    pub cites: Vec<Number>,
    pub codes: Vec<Code>,
}

/// What a model was shown, and what it answered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Answered {
    pub shown: BTreeMap<Number, Version>,
    pub lines: Vec<Offered>,
}

/// The lines that may stand, and why each of the others may not.
///
/// `rows` are those that may be shown now: what has changed since the model was asked is no longer what it
/// speaks of.
pub(crate) fn judge_lines(
    answered: &Answered,
    rows: &[&MemoryRow],
    (policy, tokens): (&Policy, &dyn TokenCounter),
    base: &Snapshot,
    (clock, offset): (Timestamp, UtcOffset),
    ids: &mut dyn IdSource,
) -> Planning<(Gists, Vec<Settled>)> {
    let findings = Findings::default();
    let planner = Planner {
        draft: Draft::new(base, clock, ids)?,
        policy,
        entry: Entry::Consolidator,
        findings: &findings,
        offset,
        readings: Default::default(),
    };
    let rows = citable(rows, policy, planner.now(), base);
    let mut judge = Judge {
        shown: &answered.shown,
        rows: rows.iter().map(|row| (row.body.number, *row)).gather(),
        planner,
        tokens,
        gists: Gists::new(),
        said: BTreeSet::new(),
        taken: BTreeMap::new(),
    };
    let mut refused = Vec::new();
    for offered in &answered.lines {
        if let Err(refusal) = judge.judge(offered) {
            let mut settled = Settled::new(Settling::Refused, None, refusal.message.clone());
            settled.codes = refusal.codes().collect();
            refused.push(settled);
        }
    }
    Ok((judge.gists, refused))
}

struct Judge<'a> {
    planner: Planner<'a>,
    shown: &'a BTreeMap<Number, Version>,
    rows: BTreeMap<Number, &'a MemoryRow>,
    tokens: &'a dyn TokenCounter,
    gists: Gists,
    /// What stands in each digest already.
    said: BTreeSet<(Place, Number)>,
    /// How many tokens each digest's lines take.
    taken: BTreeMap<Place, usize>,
}

impl<'a> Judge<'a> {
    fn judge(&mut self, offered: &Offered) -> Result<(), Refusal> {
        // What was read for one line is of no use to the next.
        self.planner.readings.borrow_mut().clear();
        let mut faults = Faults::default();
        for code in &offered.codes {
            faults.add(Refusal::new(*code, form(*code)));
        }
        let place = faults.take(self.place(offered.digest.as_deref()).map(Some));
        let cited = self.cited(&offered.cites, &mut faults);
        let text = self.words(offered.text.as_deref().unwrap_or_default(), &mut faults);
        let is_whole = cited.len() == offered.cites.len();
        if is_whole && !cited.is_empty() && !text.is_empty() {
            let said: Vec<&str> = cited.iter().map(|row| text_of(row)).collect();
            if !says_just(&text, &said) {
                let message = "it says more, less or something else than the rows it cites";
                faults.add(Refusal::new(Code::UnsupportedDetail, message));
            }
        }
        if let Some(place) = &place {
            self.check_place(place, &cited, &text, &mut faults);
        }
        faults.finish(())?;
        let place = place.ok_or_else(|| Refusal::new(Code::Schema, form(Code::Schema)))?;
        let cost = self.cost(&text);
        *self.taken.entry(place.clone()).or_default() += cost;
        let cites = cited
            .iter()
            .map(|row| (row.body.number, row.body.version))
            .collect();
        for row in cited {
            self.said.insert((place.clone(), row.body.number));
        }
        self.gists
            .entry(place)
            .or_default()
            .push(Gist { text, cites });
        Ok(())
    }

    /// The digest that a name means: those that code makes from tasks and from feedback are code's alone.
    fn place(&self, name: Option<&str>) -> Result<Place, Refusal> {
        let policy = self.planner.policy;
        let plain = [DigestKind::Profile, DigestKind::Procedures];
        let name = name.unwrap_or_default();
        let place = match plain.into_iter().find(|kind| kind.word() == name) {
            Some(kind) => Some(Place { kind, domain: None }),
            None => policy.domain(name).map(|domain| Place {
                kind: DigestKind::Domain,
                domain: Some(domain.name.clone()),
            }),
        };
        place.ok_or_else(|| Refusal::new(Code::Schema, "there is no such digest"))
    }

    /// The rows that it cites, as they are now.
    fn cited(&self, cites: &[Number], faults: &mut Faults) -> Vec<&'a MemoryRow> {
        if cites.is_empty() {
            let message = "it cites no row";
            faults.add(Refusal::new(Code::QuoteMissing, message));
        }
        if cites.len() > MOST_CITED {
            let message = format!("it cites more than {MOST_CITED} rows");
            faults.add(Refusal::new(Code::Limit, message));
        }
        let mut cited = Vec::new();
        for number in cites.iter().take(MOST_CITED) {
            let shown = self.shown.get(number);
            let row = self.rows.get(number).copied();
            match (shown, row) {
                (None, _) => {
                    let message = "it cites a row that it was not shown";
                    faults.add(Refusal::new(Code::NotFound, message));
                }
                (Some(version), Some(row)) if *version == row.body.version => cited.push(row),
                (Some(_), _) => {
                    let message = "a row that it cites has changed since";
                    faults.add(Refusal::new(Code::Stale, message));
                }
            }
        }
        cited
    }

    /// Its words, cleaned, where they may be kept at all.
    fn words(&self, given: &str, faults: &mut Faults) -> String {
        let planner = &self.planner;
        let cleaned = text::line(given).unwrap_or_default();
        faults.check(planner.content(given).map(drop));
        if is_first_person(&cleaned) {
            let message = "it must be written about the user, in the third person";
            faults.add(Refusal::new(Code::Schema, message));
        }
        let is_consented = matches!(planner.own_domains(&cleaned), Ok(None));
        let sensitive = planner.found_domain(&Given::new([cleaned.as_str()].into_iter(), None));
        let is_anothers = sensitive.is_some() && planner.reading(&cleaned).is_about_another();
        if !is_consented || is_anothers {
            let message = "it is sensitive, and whom it is about has not consented";
            faults.add(Refusal::new(Code::Sensitive, message));
        }
        cleaned
    }

    fn check_place(&self, place: &Place, cited: &[&MemoryRow], text: &str, faults: &mut Faults) {
        let policy = self.planner.policy;
        if !cited.iter().all(|row| takes(place, row, policy)) {
            let message = "a row that it cites does not belong into that digest";
            faults.add(Refusal::new(Code::NotApplicable, message));
        }
        if place.kind == DigestKind::Procedures && cited.len() < LEAST_CITED {
            let message = "a procedure rests on two rows or more";
            faults.add(Refusal::new(Code::QuoteTooShort, message));
        }
        let is_said = |row: &&MemoryRow| self.said.contains(&(place.clone(), row.body.number));
        if cited.iter().any(is_said) {
            let message = "another line says what a row says that it cites";
            faults.add(Refusal::new(Code::Taken, message));
        }
        let taken = self.taken.get(place).copied().unwrap_or(0);
        if taken + self.cost(text) > budget_of(place.kind, policy) as usize {
            let message = "there is no more room in that digest";
            faults.add(Refusal::new(Code::Limit, message));
        }
    }

    fn cost(&self, text: &str) -> usize {
        self.tokens.count(&format!("- {text}\n"))
    }
}

/// What is wrong with the form of a line.
fn form(code: Code) -> &'static str {
    match code {
        Code::NotFound => "it cites a row by something that is no number",
        Code::DuplicateTarget => "it cites a row twice",
        _ => "a field is missing, unknown or of the wrong type",
    }
}
