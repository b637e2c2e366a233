//! What a plan needs to know that no slice says: which fact a text names, what is alike, who was served.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use crate::change::Slice;
use crate::command::{Command, ProposedChange, Which};
use crate::engine::ahead::{Ahead, has_ends};
use crate::engine::ending::Ending;
use crate::engine::execute::{Known, Request};
use crate::engine::served::Gone;
use crate::engine::{Engine, Standing};
use crate::error::Error;
use crate::ids::Number;
use crate::memory::{Authority, Layer};
use crate::order::{self, Gather};
use crate::owner::Owner;
use crate::plan::{self, Aim, Entry, Findings, Likeness, Objection};
use crate::refusal::{Candidate, Code, Refusal};
use crate::row::{MemoryRow, Why};
use crate::store::{Cursor, Filter, Hit, KeywordQuery, ListQuery, MAX_LIMIT, Selection};
use crate::text;
use crate::visibility::{Visibility, visibility};

/// How many alike facts a reply names.
const CLOSEST: usize = 3;
/// From which share of common terms on two contents are close.
const CLOSE: f64 = 0.5;

/// Among which rows a target is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// What is live.
    Live,
    /// What is live, and what is not believed yet: for the user's word on it.
    Candidates,
    /// What is live and may be shown to a model.
    Shown,
    /// Everything that is kept: for what brings back, or looks back.
    Kept,
}

impl Engine {
    /// What the plan must know, and what no chat may serve once the plan is committed.
    pub(super) async fn find(
        &self,
        request: &Request<'_>,
        known: &Known,
        ahead: Option<&Ahead>,
    ) -> Result<(Findings, Option<Gone>), Objection> {
        let Request {
            owner,
            command,
            entry,
            ..
        } = request;
        let mut findings = Findings {
            grounds: known.grounds.clone(),
            vector: known.vector.clone(),
            ..Findings::default()
        };
        let standing = ahead.map(|ahead| ahead.standing(self.now()));
        findings.at = standing.as_ref().map(|standing| standing.revision);
        if let Some(which) = command.target() {
            let among = match (command, entry) {
                (Command::Restore(_) | Command::Purge(_), _) => Among::Kept,
                (
                    Command::Confirm(_)
                    | Command::Forget(_)
                    | Command::Trash(_)
                    | Command::Update(_),
                    Entry::Host,
                ) => Among::Candidates,
                (_, Entry::Host | Entry::Sweep | Entry::Import | Entry::Consolidator) => {
                    Among::Live
                }
                (_, Entry::Tool(_) | Entry::Extractor(_)) => Among::Shown,
            };
            // What is rarely asked is kept apart: every save would have to find room for it.
            let resolved = Box::pin(self.resolve_at(owner, which, among, standing.as_ref()));
            findings.target = Some(resolved.await?);
        }
        if let (Some(wording), Some(standing)) = (&known.wording, &standing) {
            let likeness = wording.likeness();
            let content = &wording.content;
            let live = standing.live_in_all_layers();
            if findings.grounds.is_none() {
                let live = live.clone();
                findings.forgotten = self
                    .forgotten_alike(owner, content, &likeness, live)
                    .await?;
            }
            let least_terms = likeness.least_terms(CLOSE);
            let hits = self.alike(owner, content, live, least_terms).await?;
            findings.closest = closest(&hits, content, &likeness, findings.target);
            let is_new = match command {
                Command::Save(_) => true,
                Command::Propose(propose) => matches!(propose.change, ProposedChange::Save(_)),
                _ => false,
            };
            if is_new {
                findings.opposed = self.opposed(&hits, content);
            }
        }
        let gone = match has_ends(command) {
            true => Box::pin(self.find_ends(request, standing, &mut findings)).await?,
            false => None,
        };
        Ok((findings, gone))
    }

    /// What ends, or comes back, with what a command does, and what must no longer be served then.
    async fn find_ends(
        &self,
        request: &Request<'_>,
        standing: Option<Standing>,
        findings: &mut Findings,
    ) -> Result<Option<Gone>, Objection> {
        let Request { owner, command, .. } = request;
        let ended = self.ended_by(owner, command, findings.target).await?;
        if let Some((number, ending)) = ended
            && ending != Ending::Restored
        {
            self.find_trail(owner, number, findings).await?;
        }
        let mut gone = None;
        let is_purged = match command {
            Command::Purge(_) => true,
            Command::Trash(_) => self.policy.retention.trash_days == 0,
            _ => false,
        };
        if let Some(number) = findings.target.filter(|_| is_purged) {
            let trail = findings.trails.get(&number).cloned().unwrap_or_default();
            let mut fact = self.fact_gone(owner, number, &trail.absorbed).await?;
            findings.traces = self.traces_of(owner, &fact).await?;
            findings.episodes = self.episodes_of(owner, &fact).await?;
            findings.digests = self
                .digests_of(owner, &mut fact, &findings.episodes)
                .await?;
            gone = Some(fact);
        }
        if let Command::Consent(consent) = command
            && !consent.granted
        {
            let mut domain = self.domain_gone(owner, &consent.domain).await?;
            findings.digests = self.digests_of(owner, &mut domain, &[]).await?;
            gone = Some(domain);
        }
        if let Some(gone) = &gone {
            findings.sessions = self.without(owner, gone).await?;
        }
        if let (Command::Undo(_) | Command::Redo(_), Some(standing)) = (command, &standing) {
            let (rows, _) = self.open_rows(owner, standing.revision).await?;
            let digests = rows.of(Layer::Digest);
            findings.digests = digests.map(|row| row.body.number).collect();
        }
        if let Some(ended) = ended {
            self.find_retold(owner, ended, findings).await?;
        }
        Ok(gone)
    }

    /// The fact that a target names.
    pub(crate) async fn resolve(
        &self,
        owner: &Owner,
        which: &Which,
        among: Among,
    ) -> Result<Number, Objection> {
        self.resolve_at(owner, which, among, None).await
    }

    /// The fact that a target names where the owner's data was seen to stand, if somebody has looked.
    async fn resolve_at(
        &self,
        owner: &Owner,
        which: &Which,
        among: Among,
        seen: Option<&Standing>,
    ) -> Result<Number, Objection> {
        let (number, part) = match Aim::read(which)? {
            Aim::Number(number) => return Ok(number),
            Aim::Row(id) => return self.fact_of(owner, id, among).await,
            Aim::Digits(number, part) => (Some(number), part),
            Aim::Part(part) => (None, part),
        };
        let looked_up;
        let standing = match seen {
            Some(standing) => standing,
            None => {
                looked_up = self.standing(owner).await?;
                &looked_up
            }
        };
        if let Some(number) = number
            && (number.get() < standing.next_number || part.len() < 2)
        {
            return Ok(number);
        }
        let found = match among {
            Among::Live | Among::Candidates | Among::Shown => {
                let (rows, _) = self.open_rows(owner, standing.revision).await?;
                let is_among = |row: &&MemoryRow| match among {
                    Among::Shown => standing.shows(row),
                    _ => visibility(row, standing.now) == Visibility::Live,
                };
                let facts = rows.of(Layer::Fact).filter(is_among);
                let mut found = plan::pick(&part, facts)?;
                if found.is_none() && among == Among::Candidates {
                    let held = self.rows(owner, Filter::new(Selection::Held)).await?;
                    found = plan::pick(&part, &held)?;
                }
                match found {
                    None => plan::pick(&part, rows.iter().filter(is_among))?,
                    found => found,
                }
            }
            Among::Kept => {
                let rows = self.rows(owner, Filter::new(Selection::All)).await?;
                plan::pick(&part, &rows)?
            }
        };
        if let Some(number) = found {
            return Ok(number);
        }
        let mut ended = Filter::new(Selection::Ended);
        if among == Among::Shown {
            // That somebody said so once is more than a model may be told.
            ended.excluded_domains.clone_from(&standing.withdrawn);
        }
        let ended = self.alike(owner, &part, ended, 0).await?;
        let message = match plan::pick(&part, ended.iter().map(|hit| &hit.row)) {
            Ok(Some(number)) => format!("{number} said that and no longer does"),
            _ => "no live fact holds that text: list or recall to see what there is".to_owned(),
        };
        Err(Refusal::new(Code::NotFound, message).into())
    }

    async fn fact_of(
        &self,
        owner: &Owner,
        id: crate::ids::RowId,
        among: Among,
    ) -> Result<Number, Objection> {
        let slice = Slice {
            rows: [id].into_iter().gather(),
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let Some(row) = seen.memory(id) else {
            return Err(Refusal::new(Code::NotFound, "there is no fact with that id").into());
        };
        let number = row.body.number;
        let is_last = seen
            .versions(number)
            .last()
            .is_some_and(|last| last.id == id);
        if among != Among::Kept && !row.is_open() && !is_last {
            let message = match seen.open_version(number) {
                Some(_) => format!("that version has ended; {number} says something else now"),
                None => {
                    plan::fate(number, seen.versions(number).last(), self.now(), |_| None).message
                }
            };
            return Err(Refusal::new(Code::NotFound, message).into());
        }
        Ok(number)
    }

    /// All rows that pass a filter.
    pub(crate) async fn rows(
        &self,
        owner: &Owner,
        filter: Filter,
    ) -> Result<Vec<MemoryRow>, Error> {
        let mut rows = Vec::new();
        let mut after: Option<Cursor> = None;
        loop {
            let query = ListQuery {
                filter: filter.clone(),
                limit: MAX_LIMIT,
                after,
            };
            let page = self.store.list(owner, &query).await?;
            rows.extend(page.items);
            after = page.next;
            if after.is_none() {
                return Ok(rows);
            }
        }
    }

    /// The rule, among what is alike, that a content speaks against.
    fn opposed(&self, hits: &[Hit], content: &str) -> Option<Number> {
        let is_rule = |hit: &&Hit| hit.row.body.claim.authority == Authority::Rule;
        let mut rules = hits.iter().filter(is_rule);
        let opposed =
            rules.find(|hit| plan::contradicts(content, &hit.row.body.claim.content, &self.policy));
        opposed.map(|hit| hit.row.body.number)
    }

    /// A fact that says the same and was forgotten, unless it was said anew since.
    async fn forgotten_alike(
        &self,
        owner: &Owner,
        content: &str,
        likeness: &Likeness,
        live: Filter,
    ) -> Result<Option<Number>, Error> {
        let floor = self.policy.floors.near_duplicate_terms;
        let is_alike = |hit: &Hit| likeness.of(&hit.row.body.claim.content) >= floor;
        let is_forgotten = |row: &MemoryRow| row.end.is_some_and(|end| end.why == Why::Forgotten);
        let least_terms = likeness.least_terms(floor);
        let ended = self
            .alike(owner, content, Filter::new(Selection::Ended), least_terms)
            .await?;
        let numbers: BTreeSet<Number> = ended
            .iter()
            .filter(|hit| is_alike(hit))
            .map(|hit| hit.row.body.number)
            .gather();
        if numbers.is_empty() {
            return Ok(None);
        }
        let said = self.alike(owner, content, live, least_terms).await?;
        if said.iter().any(is_alike) {
            return Ok(None);
        }
        let slice = Slice {
            numbers: numbers.clone(),
            ..Slice::default()
        };
        let seen = self.load(owner, &slice).await?;
        let is_last_word =
            |number: &Number| seen.versions(*number).last().is_some_and(is_forgotten);
        Ok(numbers.into_iter().find(is_last_word))
    }

    /// Facts that share so many words with a content.
    async fn alike(
        &self,
        owner: &Owner,
        content: &str,
        mut filter: Filter,
        least_terms: usize,
    ) -> Result<Vec<Hit>, Error> {
        filter.layers = [Layer::Fact].into_iter().gather();
        let query = KeywordQuery {
            least_terms,
            ..KeywordQuery::new(content, filter, CLOSEST + 2)
        };
        self.store.search(owner, &query).await
    }
}

/// Live facts that say nearly the same, closest first.
fn closest(
    hits: &[Hit],
    content: &str,
    likeness: &Likeness,
    target: Option<Number>,
) -> Vec<Candidate> {
    let folded = LazyCell::new(|| text::fold(content));
    let mut close: Vec<(f64, Candidate)> = hits
        .iter()
        .filter(|hit| Some(hit.row.body.number) != target)
        .map(|hit| (likeness.of(&hit.row.body.claim.content), &hit.row))
        .filter(|(share, row)| *share >= CLOSE && text::fold(&row.body.claim.content) != *folded)
        .map(|(share, row)| (share, Candidate::of(row)))
        .collect();
    order::sort_by(&mut close, |one, other| other.0.total_cmp(&one.0));
    let candidates = close.into_iter().map(|(_, candidate)| candidate);
    candidates.take(CLOSEST).collect()
}
