//! What chats have been served of a fact or a domain that must not be served any more.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::change::{Expected, SessionChange, SessionEdit, Slice};
use crate::engine::episodes::sessions_of;
use crate::engine::known::Known;
use crate::engine::open_rows::Rows;
use crate::engine::{Engine, Standing};
use crate::error::{Error, ErrorKind};
use crate::ids::{Number, RowId, SessionId};
use crate::inject::{self, Block};
use crate::memory::Layer;
use crate::order::Gather;
use crate::owner::{Owner, Revision};
use crate::plan::{self, Going};
use crate::row::MemoryRow;
use crate::session::{FrozenBlock, Session, SessionStatus};
use crate::store::{Filter, MAX_LIMIT, Selection, SessionQuery, TraceQuery};
use crate::text;
use crate::trace::{Trace, TraceKey};

impl Engine {
    /// The records of tool calls that name a fact that goes, or repeat what it says.
    pub(super) async fn traces_of(
        &self,
        owner: &Owner,
        gone: &Gone,
    ) -> Result<Vec<TraceKey>, Error> {
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let query = TraceQuery {
                session: None,
                limit: MAX_LIMIT,
                after,
            };
            let page = self.store.traces(owner, &query).await?;
            let speaking = page
                .items
                .into_iter()
                .filter(|trace| speaks_of(trace, gone));
            found.extend(speaking.map(|trace| trace.key));
            after = page.next;
            if after.is_none() {
                return Ok(found);
            }
        }
    }

    /// A fact that is about to go for good, with what it has taken up.
    pub(super) async fn fact_gone(
        &self,
        owner: &Owner,
        number: Number,
        absorbed: &BTreeSet<RowId>,
    ) -> Result<Gone, Error> {
        let slice = Slice {
            all_proposals: true,
            rows: absorbed.clone(),
            ..Slice::number(number)
        };
        let seen = self.load(owner, &slice).await?;
        let going = Going::of(&seen, number, absorbed.iter().copied());
        let rows: Vec<MemoryRow> = going.rows.iter().copied().cloned().collect();
        Ok(Gone {
            recapped: sessions_of(&rows),
            words: going.words(),
            joined: BTreeSet::new(),
            numbers: going.numbers,
            rows,
        })
    }

    /// Episodes of the chats that a fact rests on, and those that repeat it. Of one that is an episode itself,
    /// only those that repeat it: the others tell of something else.
    pub(super) async fn episodes_of(
        &self,
        owner: &Owner,
        gone: &Gone,
    ) -> Result<Vec<Number>, Error> {
        let mut filter = Filter::new(Selection::All);
        filter.layers.insert(Layer::Episode);
        let is_fact = |row: &MemoryRow| row.body.claim.layer != Layer::Episode;
        let rests_on_chats = gone.rows.iter().any(is_fact);
        let mut episodes = self.rows(owner, filter).await?;
        episodes.retain(|row| {
            let claim = &row.body.claim;
            let folded = text::fold(&claim.content);
            let is_of_chat = claim.session.is_some_and(|id| gone.recapped.contains(&id));
            rests_on_chats && is_of_chat || gone.words.iter().any(|said| folded.contains(said))
        });
        Ok(episodes.iter().map(|row| row.body.number).collect())
    }

    /// The digests with a model's line that says what a fact or an episode says that is gone, or once said. What
    /// they told goes with them: once they are purged, nobody could look for it.
    pub(super) async fn digests_of(
        &self,
        owner: &Owner,
        gone: &mut Gone,
        episodes: &[Number],
    ) -> Result<Vec<Number>, Error> {
        let mut filter = Filter::new(Selection::All);
        filter.layers.insert(Layer::Digest);
        let facts = gone.rows.iter().map(|row| row.body.number);
        let numbers: BTreeSet<Number> = facts.chain(episodes.iter().copied()).gather();
        let mut found = BTreeSet::new();
        for row in self.rows(owner, filter).await? {
            let gists = plan::kept_in(&row);
            let says = |number: &Number| gists.iter().any(|gist| gist.cites(*number));
            if numbers.iter().any(says) {
                found.insert(row.body.number);
                let lines = gists.iter().map(|gist| inject::joined(&gist.text, &[]));
                gone.joined.extend(lines);
            }
        }
        Ok(found.into_iter().collect())
    }

    /// A domain that is about to be withdrawn.
    pub(super) async fn domain_gone(&self, owner: &Owner, domain: &str) -> Result<Gone, Error> {
        let mut filter = Filter::new(Selection::All);
        filter.domains.insert(domain.to_owned());
        Ok(Gone {
            rows: self.rows(owner, filter).await?,
            recapped: BTreeSet::new(),
            words: BTreeSet::new(),
            joined: BTreeSet::new(),
            numbers: BTreeSet::new(),
        })
    }

    /// Chats that another process opened between the look and the commit were served what is gone now.
    /// Those it opens from here on see that their rows have moved on.
    pub(super) async fn clear_late(&self, owner: &Owner, gone: Gone) -> Result<(), Error> {
        loop {
            match self.clear(owner, &gone).await {
                // A chat was purged meanwhile; the others are looked at again.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                cleared => return cleared,
            }
        }
    }

    async fn clear(&self, owner: &Owner, gone: &Gone) -> Result<(), Error> {
        let late = self.without(owner, gone).await?;
        if late.is_empty() {
            return Ok(());
        }
        // First without any block: a store rewrites its files for what is taken away, not for what is
        // replaced.
        let emptied = late.iter().map(|(session, edit)| {
            let edit = SessionEdit {
                block: edit.block.as_ref().map(|_| None),
                ..edit.clone()
            };
            (*session, SessionChange::Edit(edit))
        });
        self.append(owner, Expected::Any, |changes| {
            changes.sessions.extend(emptied);
        })
        .await?;
        let edits = late.into_iter().map(|(session, edit)| {
            let edit = SessionEdit {
                block: edit.block,
                ..SessionEdit::default()
            };
            (session, SessionChange::Edit(edit))
        });
        self.append(owner, Expected::Any, |changes| {
            changes.sessions.extend(edits);
        })
        .await
        .map(drop)
    }

    /// Chats that were served what is gone, without it.
    pub(super) async fn without(
        &self,
        owner: &Owner,
        gone: &Gone,
    ) -> Result<Vec<(SessionId, SessionEdit)>, Error> {
        let Gone {
            rows,
            recapped,
            words,
            joined,
            ..
        } = gone;
        let ids: BTreeSet<RowId> = rows.iter().map(|row| row.id).gather();
        let lines = rows.iter().flat_map(inject::lines);
        let lines: BTreeSet<String> = lines.chain(joined.iter().cloned()).gather();
        let is_gone = |row: &MemoryRow| ids.contains(&row.id);
        // A line that a model joined from several facts may have outlived its digest: it has all words of each.
        let said = words.iter().map(|said| Known::terms(said));
        let said: Vec<Vec<String>> = said.filter(|terms| !terms.is_empty()).collect();
        let says_it = |line: &str| {
            let told = text::query_terms(line);
            said.iter()
                .any(|terms| terms.iter().all(|term| told.contains(term)))
        };
        let mut anew: Option<Rendered> = None;
        let mut edits = Vec::new();
        for session in self.all_sessions(owner).await? {
            let mut edit = SessionEdit::default();
            let shows = session
                .block
                .as_ref()
                .is_some_and(|block| block.rows.iter().any(|id| ids.contains(id)));
            let mut added = BTreeSet::new();
            if shows && session.status == SessionStatus::Active {
                let rendered = match anew.take() {
                    Some(rendered) => rendered,
                    None => self.render(owner, &is_gone).await?,
                };
                edit.block = Some(Some(rendered.frozen()));
                added = rendered.lines();
                anew = Some(rendered);
            } else if shows {
                edit.block = Some(None);
            }
            // Another fact may say the same, and still be shown.
            let block = edit.block.as_ref().unwrap_or(&session.block).as_ref();
            let shown: BTreeSet<&str> = block
                .map_or("", |block| block.text.as_str())
                .lines()
                .map(inject::unmarked)
                .gather();
            let mut served = session.served.clone();
            served.retain(|line| {
                let line = inject::unmarked(line);
                shown.contains(line) || !lines.contains(line) && !says_it(line)
            });
            served.append(&mut added);
            if served != session.served {
                edit.served = Some(served);
            }
            let repeats = session.recap.as_ref().is_some_and(|recap| {
                let folded = text::fold(&recap.text);
                words.iter().any(|said| folded.contains(said))
            });
            if repeats || session.recap.is_some() && recapped.contains(&session.id) {
                edit.recap = Some(None);
            }
            if edit != SessionEdit::default() {
                edits.push((session.id, edit));
            }
        }
        Ok(edits)
    }

    pub(super) async fn all_sessions(&self, owner: &Owner) -> Result<Vec<Session>, Error> {
        let mut sessions = Vec::new();
        let mut query = SessionQuery {
            deleted: None,
            ..SessionQuery::recent(MAX_LIMIT)
        };
        loop {
            let page = self.store.sessions(owner, &query).await?;
            sessions.extend(page.items);
            query.after = page.next;
            if query.after.is_none() {
                return Ok(sessions);
            }
        }
    }

    /// The block as it would be served now, without what is gone.
    pub(crate) async fn render(
        &self,
        owner: &Owner,
        is_gone: &impl Fn(&MemoryRow) -> bool,
    ) -> Result<Rendered, Error> {
        let (standing, rows) = self.at_one_moment(owner).await?;
        let tokens = self.tokens.as_ref();
        let block = inject::block_of(
            rows.lines(&self.policy, tokens)
                .filter(|(row, _)| !is_gone(row)),
            &self.policy,
            &standing.withdrawn,
            standing.now,
            tokens,
        );
        Ok(Rendered {
            block,
            revision: standing.revision,
        })
    }

    /// Where an owner's data stands, and the open rows it has there: consent and rows of one moment.
    pub(super) async fn at_one_moment(
        &self,
        owner: &Owner,
    ) -> Result<(Standing, Arc<Rows>), Error> {
        loop {
            let standing = self.standing(owner).await?;
            let (rows, revision) = self.open_rows(owner, standing.revision).await?;
            if revision == standing.revision {
                return Ok((standing, rows));
            }
        }
    }
}

/// What no chat may serve any more.
pub(super) struct Gone {
    rows: Vec<MemoryRow>,
    /// The facts of which nothing is left.
    numbers: BTreeSet<Number>,
    /// Chats whose recap may speak of it.
    recapped: BTreeSet<SessionId>,
    /// What it said, folded: no recap may repeat it.
    words: BTreeSet<String>,
    /// Lines in a model's words that say it among other things.
    joined: BTreeSet<String>,
}

/// A block, and the revision of the rows it is made from.
pub(crate) struct Rendered {
    pub block: Block,
    pub revision: Revision,
}

impl Rendered {
    /// As a chat keeps it.
    pub(crate) fn frozen(&self) -> FrozenBlock {
        FrozenBlock {
            text: self.block.prompt(),
            revision: self.revision.count,
            rows: self.block.rows.clone(),
        }
    }

    /// What the chat must not learn from.
    pub(crate) fn lines(&self) -> BTreeSet<String> {
        let lines = self.block.lines.iter();
        lines.map(|line| inject::unmarked(line).to_owned()).gather()
    }
}

/// Whether a tool call's record names a fact that goes, or repeats one of the things it said.
fn speaks_of(trace: &Trace, gone: &Gone) -> bool {
    let written = format!("{} {}", strings(&trace.arguments), trace.result);
    let mut numbers = gone.numbers.iter();
    if numbers.any(|number| plan::names(&written, *number)) {
        return true;
    }
    let cleaned = text::passage(&written).unwrap_or(written);
    let folded = text::fold(&cleaned);
    gone.words.iter().any(|said| folded.contains(said))
}

/// The strings and numbers of a call's arguments, each number also as a fact's name.
fn strings(arguments: &serde_json::Value) -> String {
    use serde_json::Value;
    match arguments {
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{text} #{text}")
        }
        Value::String(text) => text.clone(),
        Value::Number(number) => format!("{number} #{number}"),
        Value::Array(items) => items.iter().map(strings).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => fields.values().map(strings).collect::<Vec<_>>().join(" "),
        Value::Null | Value::Bool(_) => String::new(),
    }
}
