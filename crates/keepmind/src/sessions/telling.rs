//! What of a chat no episode tells yet: all that was said since the last one, learned from turn by turn or at
//! once.

use crate::engine::happened_in;
use crate::error::Result;
use crate::event::UndoToken;
use crate::ids::{GroupId, MessageNumber};
use crate::message::Message;
use crate::plan::{Happened, Turn};
use crate::policy::ExtractionMode;
use crate::session::{Session, SessionStatus};
use crate::sessions::SessionHandle;
use crate::sessions::close::{Closed, Closing, Ends, Parts, Round};
use crate::sessions::keeping::Part;
use crate::sessions::learn::Found;

impl SessionHandle {
    /// What an episode is to be told of, up to a message: where it is all at hand, nothing is read again.
    pub(super) async fn untold(
        &self,
        session: &Session,
        last: MessageNumber,
        at_hand: Option<(&[Message], &Turn)>,
    ) -> Result<Option<Happened>> {
        let engine = self.engine();
        let owner = &self.memory.owner;
        if !engine.keeps_episodes() {
            return Ok(None);
        }
        // What was never learned from was never told.
        let told = match session.extracted_through {
            Some(_) => engine.told_through(owner, session).await?,
            None => None,
        };
        let first = match told {
            None => Some(MessageNumber::FIRST),
            Some(told) => told.next(),
        };
        let Some(first) = first.filter(|first| *first <= last) else {
            return Ok(None);
        };
        if let Some((messages, turn)) = at_hand
            && messages
                .first()
                .is_some_and(|message| message.number == first)
        {
            let served = engine.served_in(owner, session).await?;
            let said =
                |number, content: &str, untrusted: &[_]| turn.said(number, content, untrusted);
            return Ok(happened_in(self.id, messages, served, said));
        }
        engine.happened(owner, self.id, (first, last)).await
    }

    /// A chat that was learned from as it went is put aside with what happened in it. Nothing where it was
    /// not, or is put aside already.
    pub(super) async fn tell_turns(
        &self,
        session: &Session,
        ends: Ends,
        group: GroupId,
    ) -> Result<Option<Round>> {
        let is_told_here = self.engine().policy.extraction.mode == ExtractionMode::EveryTurn
            && ends == Ends::Idle
            && session.status == SessionStatus::Active;
        let Some(last) = session.extracted_through.filter(|_| is_told_here) else {
            return Ok(None);
        };
        if self.untold(session, last, None).await?.is_none() {
            return Ok(None);
        }
        let Some(lease) = self.take_lease(session).await? else {
            return Ok(Some(Round::Over(Closed::new(Closing::ByAnother))));
        };
        // Somebody may have told it before the lease was free.
        let session = self.load().await?;
        let forgotten = self.forgotten().await?;
        let happened = match session.extracted_through == Some(last) {
            true => self.untold(&session, last, None).await?,
            false => None,
        };
        let Some(happened) = happened else {
            self.give_back(lease).await?;
            return Ok(Some(Round::Again(Parts::default())));
        };
        let part = Part {
            last,
            has_more: false,
            found: Found::nothing(happened.turn.clone()),
            forgotten,
            recap: session.recap.clone(),
            happened: Some(happened),
        };
        let Some(kept) = self.keep(lease, &part, ends, group).await? else {
            return Ok(Some(Round::Over(Closed::new(Closing::ByAnother))));
        };
        let closing = match kept.is_idle {
            true => Closing::NothingNew,
            false => Closing::StillActive,
        };
        let mut closed = Closed::new(closing);
        closed.report.episode = kept.episode;
        closed.undo = kept.is_any.then_some(UndoToken::Group(group));
        Ok(Some(Round::Over(closed)))
    }
}
