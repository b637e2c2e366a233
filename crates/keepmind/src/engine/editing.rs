//! Markdown out, and an edited copy back: what is live at one revision, then one plan and one commit.

use std::sync::Arc;

use crate::attempt::{Attempt, until_done};
use crate::change::{Expected, Slice, Snapshot};
use crate::edited::MarkdownReport;
use crate::engine::ending::Ending;
use crate::engine::{Engine, Standing, UserMemory};
use crate::error::{Error, ErrorKind, Result};
use crate::markdown::{self, MarkdownFile, Reader, Shown};
use crate::memory::Layer;
use crate::order::{self, Gather};
use crate::owner::Owner;
use crate::plan::{self, Edited, Findings};
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;
use crate::visibility::{Visibility, visibility};

const MARKDOWN: &str = "markdown";
const READ: &str = "read_markdown";

impl Engine {
    /// What is live of an owner's, written: for the user also what no prompt shows for want of consent.
    pub(crate) async fn write_markdown<T>(
        &self,
        owner: &Owner,
        reader: Reader,
        write: impl Fn(&Shown<'_>) -> T,
    ) -> Result<T> {
        until_done(MARKDOWN, || async {
            let before = *self.load(owner, &Slice::default()).await?.state();
            let (rows, _) = self.open_rows(owner, before.revision).await?;
            let slice = Slice {
                consents: true,
                ..Slice::default()
            };
            let seen = self.load(owner, &slice).await?;
            let state = *seen.state();
            if before.revision != state.revision {
                return Ok(Attempt::Overtaken);
            }
            let standing = Standing::of(&seen, self.now());
            let may_be_told = |row: &&MemoryRow| {
                let repeats = row.body.claim.layer == Layer::Digest;
                let is_for_user = reader == Reader::User;
                is_for_user || !(standing.withholds(row) || repeats)
            };
            let (mut told, mut expired_by) = (Vec::new(), None);
            for row in rows.iter().filter(may_be_told) {
                match visibility(row, standing.now) {
                    Visibility::Live => told.push(row),
                    Visibility::Expired => expired_by = expired_by.max(row.body.claim.expires_at),
                    Visibility::Held | Visibility::Ended => {}
                }
            }
            order::sort_by_key(&mut told, |row: &&MemoryRow| row.body.number);
            let policy = &self.policy;
            Ok::<_, Error>(Attempt::Done(write(&Shown {
                owner,
                state: &state,
                policy,
                expired_by,
                reader,
                rows: told,
            })))
        })
        .await
    }

    /// Reads back a copy that somebody edited, or says what that would do.
    pub(crate) async fn read_markdown(
        &self,
        memory: &UserMemory,
        files: &[MarkdownFile],
        reader: Reader,
        dry_run: bool,
    ) -> Result<MarkdownReport> {
        let owner = &memory.owner;
        let pages = markdown::read(files, owner, &self.policy)
            .map_err(|problem| Error::invalid(READ, problem))?;
        let is_models = reader == Reader::Model;
        if pages.iter().any(|page| page.reader != reader) {
            let message = match is_models {
                true => "the copy was not written for a model, or its head was changed",
                false => "the copy was written for a model: say that a model edited it",
            };
            return Err(Error::invalid(READ, message));
        }
        if is_models && !dry_run {
            let message = "what a model edits is not the user's word: read it with `dry_run`, and let tools write \
                           what it says";
            return Err(Error::invalid(READ, message));
        }
        let (report, changes) = {
            let _queue = self.queue(owner).await;
            until_done(READ, || async {
                let state = *self.load(owner, &Slice::default()).await?.state();
                let (rows, _) = self.open_rows(owner, state.revision).await?;
                let live = rows.iter().map(|row| row.body.number);
                // What was never given out need not be asked for.
                let named = plan::named(&pages).filter(|number| number.get() < state.next_number);
                let mut slice = Slice {
                    numbers: live.chain(named).gather(),
                    // A model's copy was made without what was withdrawn then.
                    consents: is_models,
                    ..Slice::default()
                };
                let mut seen = self.load(owner, &slice).await?;
                if seen.state().revision != state.revision {
                    return Ok(Attempt::Overtaken);
                }
                let last = seen.state().last_stamp.unwrap_or(Timestamp::MIN);
                if pages.iter().any(|page| page.as_of > last) {
                    let message = "the copy was made of later data than there is: of another store, or before a \
                                   backup was brought back";
                    return Err(Error::invalid(READ, message));
                }
                let now = self.now();
                let times = (now, memory.local.offset);
                let plan = |findings: &Findings, seen: &Snapshot| {
                    let mut ids = self.plan_ids(now);
                    let planned = plan::edit(&pages, findings, &self.policy, seen, times, &mut ids);
                    planned.map_err(|objection| objection.into_error(READ))
                };
                let mut planned = plan(&Findings::default(), &seen)?;
                if planned.written.is_some() && !planned.forgotten.is_empty() && !dry_run {
                    let mut findings = Findings::default();
                    for number in &planned.forgotten {
                        let ended = (*number, Ending::Forgotten);
                        Box::pin(self.find_trail(owner, *number, &mut findings)).await?;
                        Box::pin(self.find_retold(owner, ended, &mut findings)).await?;
                    }
                    plan::reads_findings(&findings, &mut slice);
                    seen = self.load(owner, &slice).await?;
                    if seen.state().revision != state.revision {
                        return Ok(Attempt::Overtaken);
                    }
                    planned = plan(&findings, &seen)?;
                }
                let Edited {
                    written,
                    applies,
                    lines,
                    unchanged,
                    absent,
                    ..
                } = planned;
                let mut report = MarkdownReport {
                    dry_run,
                    applies,
                    lines,
                    unchanged,
                    absent,
                    event: None,
                };
                let Some((changes, mut event)) = written.filter(|_| !dry_run) else {
                    return Ok(Attempt::Done((report, None)));
                };
                let changes = Arc::new(changes);
                let expected = Expected::At(state.revision);
                match self.commit(owner, expected, &changes).await {
                    Ok(receipt) => {
                        self.moved_on(owner, state.revision, &changes, receipt.revision);
                        event.revision = receipt.revision;
                        report.event = Some(event);
                        Ok(Attempt::Done((report, Some(changes))))
                    }
                    Err(error) if error.kind() == ErrorKind::Conflict => Ok(Attempt::Overtaken),
                    Err(error) => Err(error),
                }
            })
            .await?
        };
        if let Some(changes) = changes {
            self.embed_rest(owner, &changes).await;
        }
        Ok(report)
    }
}
