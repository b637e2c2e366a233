//! The life of a chat: which step may follow which, and what it changes. One table; every step that is not
//! in it is refused with what to do instead.

use crate::change::SessionEdit;
use crate::plan::expiry::after;
use crate::policy::Policy;
use crate::refusal::{Code, Refusal};
use crate::session::{Session, SessionStatus};
use crate::timestamp::Timestamp;

/// What is done with a chat as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
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

/// What a step does.
#[derive(Debug, PartialEq)]
pub(crate) enum Moved {
    /// It is so already.
    Nothing,
    /// It becomes this.
    To(Box<SessionEdit>),
}

/// What a step does to a chat as it is now. The edit holds only while the chat is that.
pub(crate) fn step(
    session: &Session,
    step: Step,
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
    match (step, session.status, session.deleted_at) {
        (Step::Trash, _, Some(_)) | (Step::Restore, _, None) => Ok(Moved::Nothing),
        (Step::Trash, _, None) => to(SessionEdit {
            deleted_at: Some(Some(now)),
            ..SessionEdit::default()
        }),
        (Step::Restore, _, Some(since)) => {
            let days = policy.retention.session_trash_days;
            if now > after(since, days) {
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
        (Step::Push | Step::Resume, SessionStatus::Active, None)
        | (Step::Close, SessionStatus::Idle | SessionStatus::Archived, None)
        | (Step::Archive, SessionStatus::Archived, None) => Ok(Moved::Nothing),
        (Step::Push | Step::Resume, SessionStatus::Idle | SessionStatus::Archived, None) => {
            status(SessionStatus::Active)
        }
        (Step::Close, SessionStatus::Active, None) => status(SessionStatus::Idle),
        (Step::Archive, SessionStatus::Idle, None) => status(SessionStatus::Archived),
        (Step::Archive, SessionStatus::Active, None) => {
            refuse("this chat is being talked in: close it first")
        }
        (Step::Rename, _, None) => to(SessionEdit::default()),
    }
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
    fn every_step_from_every_state() {
        use SessionStatus::{Active, Archived, Idle};
        use Step::{Archive, Close, Push, Rename, Restore, Resume, Trash};
        let now = Timestamp::parse("2026-03-01T00:00:00Z").unwrap();
        let policy = Policy::default();
        // Per step: from active, idle, archived, trashed lately, trashed long ago.
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
                let found = match step(session, taken, &policy, now) {
                    Err(refusal) => {
                        assert_eq!(refusal.code, Code::NotApplicable);
                        "no".to_owned()
                    }
                    Ok(Moved::Nothing) => "same".to_owned(),
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
}
