//! The life of a chat: which transition may follow which, and what it changes. One table; what is not in
//! it is refused with what to do instead.

use std::time::Duration;

use crate::change::SessionEdit;
use crate::plan::expiry::is_over;
use crate::policy::{Close, Policy};
use crate::refusal::{Code, Refusal};
use crate::session::{Session, SessionStatus};
use crate::timestamp::Timestamp;

/// What is done with a chat as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transition {
    /// Something is said in it.
    Push,
    /// It is talked in again.
    Resume,
    /// It is learned from and put aside.
    Close,
    /// It is put far aside.
    Archive,
    /// It is deleted, and can be brought back.
    Trash,
    /// It is brought back.
    Restore,
    /// It gets another name.
    Rename,
}

/// What a transition does.
#[derive(Debug, PartialEq)]
pub(crate) enum Moved {
    /// It is so already.
    Nothing,
    /// It becomes this.
    To(Box<SessionEdit>),
    /// It is gone for good.
    Gone,
}

/// What a transition does to a chat as it is now. The edit holds only while the chat is that.
pub(crate) fn transition(
    session: &Session,
    transition: Transition,
    policy: &Policy,
    now: Timestamp,
) -> Result<Moved, Refusal> {
    let refuse = |message: &str| Err(Refusal::new(Code::NotApplicable, message));
    let to = |edit: SessionEdit| {
        Ok(Moved::To(Box::new(SessionEdit {
            expect_status: Some(session.status),
            expect_deleted: Some(session.deleted_at.is_some()),
            ..edit
        })))
    };
    let status = |status| {
        to(SessionEdit {
            status: Some(status),
            ..SessionEdit::default()
        })
    };
    match (transition, session.status, session.deleted_at) {
        (Transition::Trash, _, _) if policy.retention.session_trash_days == 0 => Ok(Moved::Gone),
        (Transition::Trash, _, Some(_)) | (Transition::Restore, _, None) => Ok(Moved::Nothing),
        (Transition::Trash, _, None) => to(SessionEdit {
            deleted_at: Some(Some(now)),
            ..SessionEdit::default()
        }),
        (Transition::Restore, _, Some(_)) => {
            if is_lost(session, policy, now) {
                let days = policy.retention.session_trash_days;
                return Err(Refusal::new(
                    Code::NotApplicable,
                    format_args!(
                        "this chat was in the trash for more than {days} days: it can no longer be restored"
                    ),
                ));
            }
            to(SessionEdit {
                deleted_at: Some(None),
                ..SessionEdit::default()
            })
        }
        (_, _, Some(_)) => refuse("this chat is in the trash: restore it first"),
        (Transition::Push | Transition::Resume, SessionStatus::Active, None)
        | (Transition::Close, SessionStatus::Idle | SessionStatus::Archived, None)
        | (Transition::Archive, SessionStatus::Archived, None) => Ok(Moved::Nothing),
        (
            Transition::Push | Transition::Resume,
            SessionStatus::Idle | SessionStatus::Archived,
            None,
        ) => status(SessionStatus::Active),
        (Transition::Close, SessionStatus::Active, None) => status(SessionStatus::Idle),
        (Transition::Archive, SessionStatus::Idle, None) => status(SessionStatus::Archived),
        (Transition::Archive, SessionStatus::Active, None) => {
            refuse("this chat is being talked in: close it first")
        }
        (Transition::Rename, _, None) => to(SessionEdit::default()),
    }
}

/// Whether a chat was in the trash for longer than the policy keeps it there: it cannot be restored, and the
/// sweep purges it.
pub(crate) fn is_lost(session: &Session, policy: &Policy, now: Timestamp) -> bool {
    let days = policy.retention.session_trash_days;
    session
        .deleted_at
        .is_some_and(|since| is_over(since, days, now))
}

/// How long to wait after that many failed attempts to learn from a chat: twice as long each time, up to
/// the policy's limit.
pub(crate) fn retry_delay(close: &Close, attempts: u32) -> Duration {
    let first = u64::from(close.backoff_seconds);
    let doubled = first.saturating_mul(1 << attempts.saturating_sub(1).min(32));
    Duration::from_secs(doubled.min(u64::from(close.backoff_limit_seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SessionId;

    fn chat(status: SessionStatus, deleted_days_ago: Option<u32>, now: Timestamp) -> Session {
        let id = SessionId::new(uuid::Uuid::nil());
        let days = |days: u32| i64::from(days) * 86_400_000_000;
        Session {
            status,
            deleted_at: deleted_days_ago
                .and_then(|ago| Timestamp::from_micros(now.as_micros() - days(ago)).ok()),
            ..Session::open(id, now)
        }
    }

    #[test]
    fn every_transition_from_every_state() {
        use SessionStatus::{Active, Archived, Idle};
        use Transition::{Archive, Close, Push, Rename, Restore, Resume, Trash};
        let now = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
        let policy = Policy::default();
        // Per transition: from active, idle, archived, trashed lately, trashed long ago.
        let table = [
            (Push, ["same", "Active", "Active", "no", "no"]),
            (Resume, ["same", "Active", "Active", "no", "no"]),
            (Close, ["Idle", "same", "same", "no", "no"]),
            (Archive, ["no", "Archived", "same", "no", "no"]),
            (Trash, ["trash", "trash", "trash", "same", "same"]),
            (Restore, ["same", "same", "same", "back", "no"]),
            (Rename, ["edit", "edit", "edit", "no", "no"]),
        ];
        let states = [
            chat(Active, None, now),
            chat(Idle, None, now),
            chat(Archived, None, now),
            chat(Idle, Some(30), now),
            chat(Idle, Some(31), now),
        ];
        for (taken, expected) in table {
            for (session, expected) in states.iter().zip(expected) {
                let found = match transition(session, taken, &policy, now) {
                    Err(refusal) => {
                        assert_eq!(refusal.code, Code::NotApplicable);
                        "no".to_owned()
                    }
                    Ok(Moved::Nothing) => "same".to_owned(),
                    Ok(Moved::Gone) => "gone".to_owned(),
                    Ok(Moved::To(edit)) => {
                        assert_eq!(edit.expect_status, Some(session.status));
                        assert_eq!(edit.expect_deleted, Some(session.deleted_at.is_some()));
                        match (edit.status, edit.deleted_at) {
                            (Some(status), None) => format!("{status:?}"),
                            (None, Some(Some(_))) => "trash".to_owned(),
                            (None, Some(None)) => "back".to_owned(),
                            _ => "edit".to_owned(),
                        }
                    }
                };
                assert_eq!(found, expected, "{taken:?} from {session:?}");
            }
        }
    }

    #[test]
    fn without_a_trash_what_would_go_there_is_gone() {
        let now = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
        let mut policy = Policy::default();
        policy.retention.session_trash_days = 0;
        for status in [
            SessionStatus::Active,
            SessionStatus::Idle,
            SessionStatus::Archived,
        ] {
            for deleted in [None, Some(0), Some(1)] {
                let session = chat(status, deleted, now);
                let taken = transition(&session, Transition::Trash, &policy, now);
                assert_eq!(taken.ok(), Some(Moved::Gone), "{session:?}");
            }
        }
    }

    #[test]
    fn a_chat_is_lost_after_its_days_in_the_trash_and_not_before() {
        let now = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
        let later = now.next().unwrap();
        let mut policy = Policy::default();
        // Per days that the trash keeps and days in it: whether it is lost now, and a moment later.
        for (kept, deleted, expected) in [
            (30, None, [false, false]),
            (30, Some(0), [false, false]),
            (30, Some(29), [false, false]),
            (30, Some(30), [false, true]),
            (30, Some(31), [true, true]),
            (0, None, [false, false]),
            (0, Some(0), [false, true]),
        ] {
            policy.retention.session_trash_days = kept;
            let session = chat(SessionStatus::Idle, deleted, now);
            let found = [now, later].map(|moment| is_lost(&session, &policy, moment));
            assert_eq!(found, expected, "{deleted:?} of {kept} days");
        }
    }

    #[test]
    fn each_failed_attempt_waits_twice_as_long_up_to_the_limit() {
        let mut close = Policy::default().close;
        for (first, limit, attempts, seconds) in [
            (60, 3_600, 0, 60),
            (60, 3_600, 1, 60),
            (60, 3_600, 2, 120),
            (60, 3_600, 6, 1_920),
            (60, 3_600, 7, 3_600),
            (60, 3_600, u32::MAX, 3_600),
            (u32::MAX, u32::MAX, u32::MAX, u64::from(u32::MAX)),
            (60, 30, 1, 30),
            (0, 3_600, 5, 0),
        ] {
            close.backoff_seconds = first;
            close.backoff_limit_seconds = limit;
            let delay = retry_delay(&close, attempts);
            assert_eq!(delay.as_secs(), seconds, "{attempts} of {first} to {limit}");
        }
    }
}
