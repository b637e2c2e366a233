//! Reading an edited copy back: each difference between the copy and what is kept becomes a change of the user's
//! own, all of them one write. A line that cannot be, or whose fact has changed meanwhile, stands against all.

mod compare;
mod compiled;

use std::collections::{BTreeMap, BTreeSet};

use time::UtcOffset;

use crate::change::{ChangeSet, Draft, Snapshot};
use crate::command::{Save, Update};
use crate::consent;
use crate::edited::{MarkdownFate, MarkdownLine};
use crate::event::{EventKind, MemoryEvent};
use crate::ids::Number;
use crate::markdown::{Item, Page, Part, Reader};
use crate::memory::{Authority, Claim, Trust};
use crate::model::IdSource;
use crate::order;
use crate::plan::save::Worded;
use crate::plan::trust::Backing;
use crate::plan::{Entry, Findings, Planner, Planning, Told};
use crate::policy::Policy;
use crate::refusal::{Code, Refusal};
use crate::row::{Kind, MemoryRow, Why};
use crate::text;
use crate::timestamp::Timestamp;

/// What will be written, and what becomes of each difference.
pub(crate) struct Edited {
    /// Nothing where nothing was edited, or something stands against it.
    pub written: Option<(ChangeSet, MemoryEvent)>,
    pub applies: bool,
    pub lines: Vec<MarkdownLine>,
    pub forgotten: BTreeSet<Number>,
    pub unchanged: u64,
    pub absent: Vec<String>,
}

/// The facts that the lines of a copy name.
pub(crate) fn named(pages: &[Page]) -> impl Iterator<Item = Number> {
    let sections = pages.iter().flat_map(|page| &page.sections);
    let items = sections.flat_map(|section| &section.items);
    items.filter_map(|item| item.mark.map(|(number, _)| number))
}

/// Plans what becomes of an edited copy. `base` holds all that is live, and every fact that the copy names.
/// Which facts are forgotten is known only from a plan: what ends with them is found for the next one.
pub(crate) fn edit(
    pages: &[Page],
    findings: &Findings,
    policy: &Policy,
    base: &Snapshot,
    (clock, offset): (Timestamp, UtcOffset),
    ids: &mut dyn IdSource,
) -> Planning<Edited> {
    let planner = Planner {
        draft: Draft::new(base, clock, ids)?,
        policy,
        entry: Entry::Host,
        findings,
        offset,
        readings: Default::default(),
    };
    let mut editing = Editing {
        planner,
        lines: Vec::new(),
        unchanged: 0,
        forgotten: BTreeSet::new(),
        named: BTreeSet::new(),
        says: BTreeMap::new(),
        withheld: withheld(pages, base),
    };
    let now = base.state().reading_time(clock);
    let known: Vec<&MemoryRow> = editing.live_facts(now).collect();
    for row in known {
        editing.says(&row.body.claim, row.body.number);
    }
    editing.pages(pages, now)?;
    editing.finish(pages, now)
}

/// The domains that were kept back from a model when its copy was made, or are by now. When that was stands in the
/// copy, and may be forged: what is withdrawn now is never told.
fn withheld(pages: &[Page], base: &Snapshot) -> BTreeSet<String> {
    let mut withheld = BTreeSet::new();
    for page in pages.iter().filter(|page| page.reader == Reader::Model) {
        let words = base.consents();
        let said_by_then = words.filter(|word| word.recorded_at <= page.as_of);
        withheld.extend(consent::withdrawn(said_by_then).into_keys());
        withheld.extend(consent::withdrawn(base.consents()).into_keys());
    }
    withheld
}

/// Where a difference stands.
#[derive(Clone, Copy)]
struct Place<'p> {
    /// Which of the files.
    order: usize,
    page: &'p Page,
    line: u64,
}

/// What a line says of a fact.
struct Wanted<'t> {
    category: &'t str,
    content: &'t str,
    authority: Authority,
}

impl Wanted<'_> {
    fn is_said_by(&self, row: &MemoryRow) -> bool {
        let claim = &row.body.claim;
        claim.content == self.content
            && claim.category == self.category
            && claim.authority == self.authority
    }
}

/// An edit in the making.
struct Editing<'a> {
    planner: Planner<'a>,
    lines: Vec<(usize, MarkdownLine)>,
    unchanged: u64,
    /// The facts whose lines were taken out.
    forgotten: BTreeSet<Number>,
    /// The facts that lines stand for.
    named: BTreeSet<Number>,
    /// What is, or will be, said by facts, and how: by category and folded content.
    says: BTreeMap<(String, String), BTreeMap<Number, Authority>>,
    /// The domains of which the copy was made without anything: of those the edit touches nothing, and tells
    /// nothing.
    withheld: BTreeSet<String>,
}

impl Editing<'_> {
    fn pages(&mut self, pages: &[Page], now: Timestamp) -> Planning<()> {
        let places = || pages.iter().enumerate();
        for (order, page) in places() {
            for (line, problem) in &page.problems {
                let place = Place {
                    order,
                    page,
                    line: *line,
                };
                self.tell(place, MarkdownFate::Refused, *problem);
            }
            for section in &page.sections {
                for item in &section.items {
                    let place = Place {
                        order,
                        page,
                        line: item.line,
                    };
                    if item.mark.is_some() {
                        self.marked(place, &section.part, item, now)?;
                    }
                }
            }
        }
        let lost = self.lost_marks(pages, now);
        for (order, page) in places() {
            for section in &page.sections {
                self.taken_out((pages, order), section, &lost, now)?;
            }
        }
        // What is new comes last: it may say what a fact said that no longer does.
        for (order, page) in places() {
            for section in &page.sections {
                for item in section.items.iter().filter(|item| item.mark.is_none()) {
                    let place = Place {
                        order,
                        page,
                        line: item.line,
                    };
                    self.new_line(place, &section.part, item)?;
                }
            }
        }
        Ok(())
    }

    /// A line without a mark.
    fn new_line(&mut self, place: Place<'_>, part: &Part, item: &Item) -> Planning<()> {
        let Part::Category(category) = part else {
            self.tell(place, MarkdownFate::Ignored, COMPILED);
            return Ok(());
        };
        if let Ok(content) = text::line(&item.text)
            && let Some(number) = self.known(category, &content, item.authority)
        {
            let reason = format!("{number} says so already");
            self.tell(place, MarkdownFate::Known, reason).number = Some(number);
            return Ok(());
        }
        let mut save = Save::new(item.text.clone()).category(category.clone());
        save.authority = Some(item.authority);
        let Worded {
            mut claim, marks, ..
        } = match self.planner.claim(&save) {
            Ok(worded) => worded,
            Err(refusal) => {
                self.refuse(place, &refusal);
                return Ok(());
            }
        };
        claim.settle(own_word());
        let content = claim.content.clone();
        let number = self.planner.draft.new_number()?;
        self.says(&claim, number);
        self.planner.draft.insert_version(number, claim, marks)?;
        let line = self.tell(place, MarkdownFate::Saved, "it is a fact of its own now");
        line.number = Some(number);
        line.after = Some(content);
        if item.details.is_some() || !item.quoted.is_empty() {
            self.tell(
                place,
                MarkdownFate::Ignored,
                "of a new line only its words are kept",
            );
        }
        Ok(())
    }

    /// A fact gets other words, another category, or another authority.
    fn update(&mut self, place: Place<'_>, row: &MemoryRow, wanted: &Wanted<'_>) -> Planning<()> {
        let old = &row.body.claim;
        let number = row.body.number;
        let mut update = Update::new(number, wanted.content);
        if old.category != wanted.category {
            update.category = Some(wanted.category.to_owned());
        }
        let has_more = old.summary.is_some() || old.body.is_some() || old.value.is_some();
        let reason = if old.content == wanted.content {
            // It is as true as before, and what was said beside it is still about it.
            update.summary.clone_from(&old.summary);
            update.detail.clone_from(&old.body);
            update.value.clone_from(&old.value);
            update.since = Some(old.valid_from);
            match old.authority == wanted.authority {
                true => "it was moved to another category",
                false => "it binds otherwise",
            }
        } else if has_more {
            "it has other words; what was said beside the old ones went with them"
        } else {
            "it has other words"
        };
        let mut as_wanted = row.clone();
        as_wanted.body.claim.authority = wanted.authority;
        let worded = self.planner.successor(&as_wanted, &update);
        let worded = worded.and_then(|worded| match self.planner.rule_of(&worded.claim) {
            Some(rule) if rule.body.number != number => {
                let holder = rule.body.number;
                let message = format!("{holder} is the rule for the same domain and key");
                Err(Refusal::new(Code::Taken, message))
            }
            _ => Ok(worded),
        });
        let Worded {
            mut claim, marks, ..
        } = match worded {
            Ok(worded) => worded,
            Err(refusal) => {
                self.refuse(place, &refusal).number = Some(number);
                return Ok(());
            }
        };
        claim.settle(own_word());
        let (before, after) = (old.content.clone(), claim.content.clone());
        self.unsays(row);
        self.says(&claim, number);
        self.planner.succeed(row, claim, marks, false)?;
        let line = self.tell(place, MarkdownFate::Updated, reason);
        line.number = Some(number);
        line.before = Some(before);
        line.after = Some(after);
        Ok(())
    }

    /// A fact whose line was taken out.
    fn forget_line(&mut self, place: Place<'_>, row: &MemoryRow) -> Planning<()> {
        let number = row.body.number;
        self.planner
            .draft
            .end(Kind::Memory, row.origin, Why::Forgotten)?;
        self.planner.entomb_fact(number)?;
        self.forgotten.insert(number);
        self.unsays(row);
        let line = self.tell(place, MarkdownFate::Forgotten, "its line was taken out");
        line.number = Some(number);
        line.before = Some(row.body.claim.content.clone());
        Ok(())
    }

    fn finish(mut self, pages: &[Page], now: Timestamp) -> Planning<Edited> {
        self.planner.retell(&self.forgotten)?;
        self.planner.purge_digests()?;
        let absent = self.absent(pages, now);
        order::sort_by_key(&mut self.lines, |(order, line)| {
            (*order, line.line, line.number)
        });
        let lines: Vec<MarkdownLine> = self.lines.into_iter().map(|(_, line)| line).collect();
        let applies = !lines.iter().any(|line| line.fate.blocks());
        let is_change = |line: &&MarkdownLine| {
            use MarkdownFate::{Forgotten, Saved, Updated};
            matches!(line.fate, Saved | Updated | Forgotten)
        };
        let changes = lines.iter().filter(is_change).count();
        let written = match applies && changes > 0 {
            true => {
                let facts = if changes == 1 { "fact" } else { "facts" };
                let subject = format!("{changes} {facts} in Markdown");
                let planned = self
                    .planner
                    .done(EventKind::Edited, subject, Told::default())?;
                planned.changes.zip(planned.outcome.event)
            }
            false => None,
        };
        Ok(Edited {
            written,
            applies,
            lines,
            forgotten: self.forgotten,
            unchanged: self.unchanged,
            absent,
        })
    }

    fn tell(
        &mut self,
        place: Place<'_>,
        fate: MarkdownFate,
        reason: impl Into<String>,
    ) -> &mut MarkdownLine {
        let line = MarkdownLine {
            file: place.page.name.clone(),
            line: place.line,
            fate,
            number: None,
            before: None,
            after: None,
            codes: Vec::new(),
            reason: reason.into(),
        };
        self.lines.push((place.order, line));
        let last = self.lines.len() - 1;
        &mut self.lines[last].1
    }

    fn refuse(&mut self, place: Place<'_>, refusal: &Refusal) -> &mut MarkdownLine {
        let line = self.tell(place, MarkdownFate::Refused, refusal.message.clone());
        line.codes = refusal.codes().collect();
        line
    }

    fn conflict(&mut self, place: Place<'_>, number: Number, reason: impl Into<String>) {
        let line = self.tell(place, MarkdownFate::Conflict, reason);
        line.number = Some(number);
        line.codes = vec![Code::Stale];
    }

    fn says(&mut self, claim: &Claim, number: Number) {
        let key = (claim.category.clone(), text::fold(&claim.content));
        let says = self.says.entry(key).or_default();
        says.insert(number, claim.authority);
    }

    fn unsays(&mut self, row: &MemoryRow) {
        let claim = &row.body.claim;
        let key = (claim.category.clone(), text::fold(&claim.content));
        if let Some(numbers) = self.says.get_mut(&key) {
            numbers.remove(&row.body.number);
        }
    }

    /// A fact of the category that says, or will say, the same, and binds as much.
    fn known(&self, category: &str, content: &str, authority: Authority) -> Option<Number> {
        let key = (category.to_owned(), text::fold(content));
        let mut says = self.says.get(&key)?.iter();
        let known = says.find(|(_, known)| **known >= authority);
        known.map(|(number, _)| *number)
    }
}

const COMPILED: &str = "it is compiled from other memories, and follows them: edit those";

/// What the user writes into their own copy is their word.
fn own_word() -> Backing {
    Backing {
        trust: Trust::User,
        evidence: Vec::new(),
        doubts: Vec::new(),
    }
}
