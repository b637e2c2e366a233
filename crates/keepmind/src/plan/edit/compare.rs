//! A copy's lines against the rows they stand for: which were edited, which taken out, and which rows have changed
//! since the copy was made.

use std::collections::{BTreeMap, BTreeSet};

use crate::edited::MarkdownFate;
use crate::ids::{Number, Version};
use crate::markdown::{self, Item, Page, Part, Reader, Section};
use crate::memory::{Authority, Layer};
use crate::order::Gather;
use crate::plan::Planning;
use crate::plan::edit::{Editing, Place, Wanted};
use crate::refusal::{Code, Refusal};
use crate::row::{MemoryRow, Why};
use crate::text;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

/// What a mark names.
enum Found<'a> {
    /// The row that is shown there, and the live one of the fact, where there is one.
    Row(&'a MemoryRow, Option<&'a MemoryRow>),
    /// Nothing that the copy can have held.
    Nothing(String),
}

impl<'a> Editing<'a> {
    /// A line with a mark.
    pub(super) fn marked(
        &mut self,
        place: Place<'_>,
        part: &Part,
        item: &Item,
        now: Timestamp,
    ) -> Planning<()> {
        let Some((number, version)) = item.mark else {
            return Ok(());
        };
        if !self.named.insert(number) {
            let message = format!("{number} stands there twice: leave one of the lines");
            let refusal = Refusal::new(Code::DuplicateTarget, message);
            self.refuse(place, &refusal).number = Some(number);
            return Ok(());
        }
        let (shown, live) = match self.found(place.page, number, version, now) {
            Found::Row(shown, live) => (shown, live),
            // What is compiled anew may leave nothing of what it was.
            Found::Nothing(_) if matches!(part, Part::Compiled(_)) => return Ok(()),
            Found::Nothing(message) => {
                let refusal = Refusal::new(Code::NotFound, message);
                self.refuse(place, &refusal).number = Some(number);
                return Ok(());
            }
        };
        if shown.body.claim.layer != Layer::Fact || matches!(part, Part::Compiled(_)) {
            self.compiled_line(place, part, item, shown, live);
            return Ok(());
        }
        let Part::Category(category) = part else {
            return Ok(());
        };
        let content = match text::line(&item.text) {
            Ok(content) => content,
            Err(error) => {
                let refusal = Refusal::from(error);
                self.refuse(place, &refusal).number = Some(number);
                return Ok(());
            }
        };
        let wanted = Wanted {
            category,
            content: &content,
            authority: item.authority,
        };
        let is_edited = !wanted.is_said_by(shown);
        let same = live.filter(|live| live.origin == shown.origin);
        if let Some(row) = same {
            self.beside(place, item, row);
        }
        match (is_edited, same) {
            (false, Some(_)) => self.unchanged += 1,
            (true, Some(row)) => self.update(place, row, &wanted)?,
            (false, None) => {
                let since = since(shown, live, now);
                let reason = format!("{number} {since}: it stays as it is now");
                let line = self.tell(place, MarkdownFate::Outdated, reason);
                line.number = Some(number);
            }
            // The same edit once more, or somebody else's that came to the same.
            (true, None) if live.is_some_and(|live| wanted.is_said_by(live)) => {
                let reason = format!("{number} says so already");
                let line = self.tell(place, MarkdownFate::Known, reason);
                line.number = Some(number);
            }
            (true, None) => {
                let since = since(shown, live, now);
                let reason = format!("{number} {since}: take a new copy and edit that");
                self.conflict(place, number, reason);
            }
        }
        Ok(())
    }

    fn found(&self, page: &Page, number: Number, version: Version, now: Timestamp) -> Found<'a> {
        let base = self.planner.base();
        let mut versions = base.versions(number);
        let shown = versions.find(|row| row.body.version == version);
        if shown.is_none() && page.reader == Reader::User {
            return Found::Nothing(format!("there is no {number} {version}: delete the line"));
        }
        // Of what was kept back a model is not told that it exists.
        let Some(shown) = shown.filter(|row| self.was_there(row, page)) else {
            return Found::Nothing(format!(
                "{number} {version} was not in the copy when it was made: it cannot stand there"
            ));
        };
        let is_live =
            |row: &&MemoryRow| visibility(row, now) == Visibility::Live && !self.is_withheld(row);
        Found::Row(shown, base.open_version(number).filter(is_live))
    }

    /// What is shown beside a fact's words and cannot be edited.
    fn beside(&mut self, place: Place<'_>, item: &Item, row: &MemoryRow) {
        let mut ignored = Vec::new();
        if item
            .details
            .as_deref()
            .is_some_and(|details| is_other(details, row))
        {
            ignored.push("what stands in its comment is not edited");
        }
        if !item.quoted.is_empty() && !markdown::quoted(row).eq(item.quoted.iter().cloned()) {
            ignored.push("its detail is not edited");
        }
        for reason in ignored {
            let line = self.tell(place, MarkdownFate::Ignored, reason);
            line.number = Some(row.body.number);
        }
    }

    /// Facts whose line is there without its mark: by category and folded content.
    pub(super) fn lost_marks(&self, pages: &[Page], now: Timestamp) -> BTreeSet<Number> {
        let mut unmarked: BTreeMap<(&str, String, Authority), usize> = BTreeMap::new();
        for section in pages.iter().flat_map(|page| &page.sections) {
            let Part::Category(category) = &section.part else {
                continue;
            };
            for item in section.items.iter().filter(|item| item.mark.is_none()) {
                if let Ok(content) = text::line(&item.text) {
                    let key = (category.as_str(), text::fold(&content), item.authority);
                    *unmarked.entry(key).or_default() += 1;
                }
            }
        }
        let mut lost = BTreeSet::new();
        for row in self.live_facts(now) {
            let claim = &row.body.claim;
            let key = (
                claim.category.as_str(),
                text::fold(&claim.content),
                claim.authority,
            );
            if !self.named.contains(&row.body.number)
                && let Some(count) = unmarked.get_mut(&key)
                && *count > 0
            {
                *count -= 1;
                lost.insert(row.body.number);
            }
        }
        lost
    }

    /// The facts that a section showed and no line stands for any more.
    pub(super) fn taken_out(
        &mut self,
        (pages, order): (&[Page], usize),
        section: &Section,
        lost: &BTreeSet<Number>,
        now: Timestamp,
    ) -> Planning<()> {
        let (Some(end), Part::Category(category)) = (section.end, &section.part) else {
            return Ok(());
        };
        let page = &pages[order];
        let place = Place {
            order,
            page,
            line: end,
        };
        let facts: Vec<&MemoryRow> = self.live_facts(now).collect();
        for row in facts {
            let number = row.body.number;
            if self.named.contains(&number) || lost.contains(&number) {
                continue;
            }
            // The row that the copy was made from: none where the fact is younger.
            let mut versions = self.planner.base().versions(number);
            let Some(shown) = versions.find(|row| self.was_shown(row, page)) else {
                continue;
            };
            let stood_here = shown.body.claim.category == *category;
            let stands_here = row.body.claim.category == *category;
            if stood_here && shown.origin == row.origin {
                self.forget_line(place, row)?;
            } else if stood_here {
                let reason = format!(
                    "the line of {number} was taken out, but it has changed since: take a new copy"
                );
                self.conflict(place, number, reason);
            } else if stands_here && !has_section(pages, &shown.body.claim.category) {
                let reason = format!(
                    "{number} was moved here since the copy was made: it stays as it is now"
                );
                let line = self.tell(place, MarkdownFate::Outdated, reason);
                line.number = Some(number);
            }
        }
        Ok(())
    }

    /// The categories with facts that the copy has no section for.
    pub(super) fn absent(&self, pages: &[Page], now: Timestamp) -> Vec<String> {
        let sections = pages.iter().flat_map(|page| &page.sections);
        let there: BTreeSet<&Part> = sections.map(|section| &section.part).gather();
        let absent: BTreeSet<&String> = self
            .live_facts(now)
            .map(|row| &row.body.claim.category)
            .filter(|category| !there.contains(&Part::Category((*category).clone())))
            .gather();
        absent.into_iter().cloned().collect()
    }

    /// The live facts that whoever the copy was made for knows of.
    pub(super) fn live_facts(&self, now: Timestamp) -> impl Iterator<Item = &'a MemoryRow> {
        let facts = self.planner.base().memories().filter(move |row| {
            visibility(row, now) == Visibility::Live && row.body.claim.layer == Layer::Fact
        });
        facts.filter(|row| !self.is_withheld(row))
    }

    fn is_withheld(&self, row: &MemoryRow) -> bool {
        let domain = row.body.claim.domain.as_ref();
        domain.is_some_and(|domain| self.withheld.contains(domain))
    }

    /// Whether a copy can have shown a row, whenever it expired.
    fn was_there(&self, row: &MemoryRow, page: &Page) -> bool {
        let claim = &row.body.claim;
        let was_told = page.reader == Reader::User || claim.layer != Layer::Digest;
        row.recorded_at <= page.as_of
            && !claim.held
            && row.end.is_none_or(|end| end.at > page.as_of)
            && was_told
            && !self.is_withheld(row)
    }

    /// Whether a copy showed a row.
    fn was_shown(&self, row: &MemoryRow, page: &Page) -> bool {
        let expires_at = row.body.claim.expires_at;
        self.was_there(row, page) && expires_at.is_none_or(|expires| expires > page.expired_by)
    }
}

/// Whether a copy has a section for a category.
fn has_section(pages: &[Page], category: &str) -> bool {
    let mut sections = pages.iter().flat_map(|page| &page.sections);
    sections.any(|section| matches!(&section.part, Part::Category(named) if named == category))
}

/// What became of a fact that is no longer what a copy shows.
fn since(shown: &MemoryRow, live: Option<&MemoryRow>, now: Timestamp) -> &'static str {
    let is_expired = match shown.end {
        Some(end) => matches!(end.why, Why::Expired { .. }),
        None => visibility(shown, now) == Visibility::Expired,
    };
    match live {
        Some(_) => "has changed since the copy was made",
        None if is_expired => "has expired since the copy was made",
        None => "is no longer live",
    }
}

/// Whether a comment says something else than what is known. How sure it is moves by itself.
fn is_other(details: &str, row: &MemoryRow) -> bool {
    let known = markdown::details(row);
    let lasting = |details: &str| -> Vec<String> {
        let parts = details.split("; ").map(str::trim);
        parts
            .filter(|part| !part.ends_with("% sure"))
            .map(str::to_owned)
            .collect()
    };
    lasting(details) != lasting(&known)
}
