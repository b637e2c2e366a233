//! Ends that keep the row: forget, complete, trash; and the way back.

use std::collections::BTreeSet;

use crate::change::{Slice, Snapshot};
use crate::command::ConsentTo;
use crate::event::EventKind;
use crate::ids::Number;
use crate::memory::{Authority, Evidence};
use crate::order::Gather;
use crate::plan::due::is_trashed_for_long;
use crate::plan::grounding::{Asked, asks_about};
use crate::plan::purge::purge_number;
use crate::plan::{Entry, Planned, Planner, Planning, Told};
use crate::policy::{CategoryKind, Policy};
use crate::refusal::{Code, Refusal};
use crate::row::{End, Kind, MemoryRow, State, Why};
use crate::timestamp::Timestamp;

/// The row of a fact that restoring it brings back as it was: its last, where that can come back. `base` holds all
/// versions, none of them open.
pub(crate) fn restorable<'s>(
    number: Number,
    base: &'s Snapshot,
    policy: &Policy,
    now: Timestamp,
) -> Result<&'s MemoryRow, Refusal> {
    // Copies of one body share an origin: the last row of the fact says what became of it.
    let last = base.versions(number).last();
    let row = last.ok_or_else(|| not_put_away(number))?;
    put_away(row, policy, now)?;
    Ok(row)
}

/// How a row was forgotten or put in the trash, where it is not lost there and has not run out since.
pub(crate) fn put_away(row: &MemoryRow, policy: &Policy, now: Timestamp) -> Result<End, Refusal> {
    let number = row.body.number;
    let is_put_away = |end: &End| matches!(end.why, Why::Trashed | Why::Forgotten);
    let end = row.end.filter(is_put_away);
    let end = end.ok_or_else(|| not_put_away(number))?;
    if is_trashed_for_long(row, policy, now) {
        let message = format!(
            "{number} was in the trash for more than {} days: it can no longer be restored",
            policy.retention.trash_days
        );
        return Err(Refusal::new(Code::NotFound, message));
    }
    let expires_at = row.body.claim.expires_at;
    if expires_at.is_some_and(|expires| expires <= now) {
        let message =
            format!("the time of {number} has run out since: save it anew if it still holds");
        return Err(Refusal::new(Code::NotFound, message));
    }
    Ok(end)
}

fn not_put_away(number: Number) -> Refusal {
    let message = format!("{number} is neither in the trash nor forgotten");
    Refusal::new(Code::NotFound, message)
}

/// What restoring must read: the fact, and the rules that its versions held.
pub(super) fn reads_restore(target: Option<Number>, seen: Option<&Snapshot>, slice: &mut Slice) {
    if let (Some(number), Some(seen)) = (target, seen) {
        slice
            .rules
            .extend(seen.versions(number).filter_map(rule_key));
    }
}

/// The (domain, key) that a row holds, or would hold, as a rule.
pub(super) fn rule_key(row: &MemoryRow) -> Option<(String, String)> {
    let claim = &row.body.claim;
    match (claim.authority, &claim.domain, &claim.key) {
        (Authority::Rule, Some(domain), Some(key)) => Some((domain.clone(), key.clone())),
        _ => None,
    }
}

impl Planner<'_> {
    pub(super) fn forget(self) -> Planning<Planned> {
        let row = self.target_or_candidate(Asked::ToEnd)?.clone();
        if !self.is_asked_for(Asked::ToEnd, &row) {
            return self.propose_forget(&row, vec![Code::QuoteWrongRole]);
        }
        self.forget_row(row, EventKind::Forgotten)
    }

    /// Whether the user asked for something to be done with a fact. Only doubted while foreign text is
    /// in the chat, which may have asked for it instead.
    pub(super) fn is_asked_for(&self, asked: Asked, row: &MemoryRow) -> bool {
        let Entry::Tool(turn) = self.entry else {
            return true;
        };
        let evidence: Vec<Evidence> = self
            .base()
            .versions(row.body.number)
            .flat_map(|row| row.body.claim.evidence.clone())
            .collect();
        !turn.untrusted || asks_about(asked, row, &evidence, turn)
    }

    pub(super) fn forget_row(mut self, row: MemoryRow, kind: EventKind) -> Planning<Planned> {
        let number = row.body.number;
        self.draft.end(Kind::Memory, row.origin, Why::Forgotten)?;
        self.entomb_fact(number)?;
        self.retell(&[number].into_iter().gather())?;
        self.purge_digests()?;
        self.ended(kind, row)
    }

    pub(super) fn complete(mut self) -> Planning<Planned> {
        let row = self.target()?.clone();
        let category = self.policy.category(&row.body.claim.category);
        if category.is_none_or(|category| category.kind != CategoryKind::Task) {
            let message = format!(
                "{} is no task: forget or update it instead",
                row.body.number
            );
            return Err(Refusal::new(Code::NotApplicable, message).into());
        }
        let until = self.now();
        self.draft
            .end(Kind::Memory, row.origin, Why::Done { until })?;
        self.ended(EventKind::Completed, row)
    }

    pub(super) fn trash(mut self) -> Planning<Planned> {
        if self.policy.retention.trash_days == 0 {
            return self.purge();
        }
        let row = self.target_or_candidate(Asked::ToEnd)?.clone();
        self.draft.end(Kind::Memory, row.origin, Why::Trashed)?;
        // Its words teach nothing while it is there; restoring lifts that again.
        self.entomb_fact(row.body.number)?;
        self.retell(&[row.body.number].into_iter().gather())?;
        self.purge_digests()?;
        self.ended(EventKind::Trashed, row)
    }

    /// Brings back the last version that was trashed or forgotten.
    pub(super) fn restore(mut self) -> Planning<Planned> {
        let number = self
            .findings
            .target
            .ok_or_else(|| Refusal::new(Code::NotFound, "there is no such fact"))?;
        if self.base().open_version(number).is_some() {
            self.live(number)?;
            return self.unchanged(Some(number), format!("{number} is live already"));
        }
        let row = restorable(number, self.base(), self.policy, self.now())?.clone();
        if let Some(holder) = self.rule_taken(&row) {
            let message =
                format!("{holder} holds the rule for the same domain and key: end it first");
            return Err(Refusal::new(Code::Taken, message).into());
        }
        self.draft
            .set(Kind::Memory, row.origin, State::Live { marks: row.marks })?;
        self.lift(|tombstone| tombstone.number == number)?;
        self.make_way(number)?;
        let told = Told {
            number: Some(number),
            after: Some(row.origin),
            before: Some(row),
            ..Told::default()
        };
        self.done(EventKind::Restored, number.to_string(), told)
    }

    /// Another fact that holds the rule which a row would hold again.
    pub(super) fn rule_taken(&self, row: &MemoryRow) -> Option<Number> {
        let (domain, key) = rule_key(row)?;
        let holder = self.base().open_rule(&domain, &key)?;
        (holder.body.number != row.body.number).then_some(holder.body.number)
    }

    pub(super) fn consent(mut self, consent: &ConsentTo) -> Planning<Planned> {
        let domain = self.domain(Some(&consent.domain))?.unwrap_or_default();
        if self.last_word(&domain) == Some(consent.granted) {
            return self.unchanged(None, format!("consent for {domain} stands as it is"));
        }
        let stamp = self.now();
        self.draft
            .others()
            .consents
            .insert((domain.clone(), stamp), consent.granted);
        self.edit_sessions();
        self.purge_digests()?;
        let what = if consent.granted {
            "given"
        } else {
            "withdrawn"
        };
        self.done(
            EventKind::Consented,
            format!("{what} for {domain}"),
            Told::default(),
        )
    }

    /// Takes away the digests that say in a model's words what must not be told any more. They are compiled anew.
    pub(super) fn purge_digests(&mut self) -> Planning<()> {
        let base = self.base();
        let digests: BTreeSet<Number> = self.findings.digests.iter().copied().gather();
        for number in digests {
            purge_number(&mut self.draft, base, number)?;
        }
        Ok(())
    }

    /// Chats that were served what must not be served any more.
    pub(super) fn edit_sessions(&mut self) {
        for (session, edit) in &self.findings.sessions {
            let edit = crate::change::SessionChange::Edit(edit.clone());
            self.draft.others().sessions.insert(*session, edit);
        }
    }

    fn ended(self, kind: EventKind, row: MemoryRow) -> Planning<Planned> {
        let number = row.body.number;
        let told = Told {
            number: Some(number),
            before: Some(row),
            ..Told::default()
        };
        self.done(kind, number.to_string(), told)
    }
}
