//! Writing what was planned on data that others write too: load, plan, commit, and again when somebody else
//! was faster.

use crate::error::{Error, ErrorKind, Result};

/// How often something is planned anew because another process was faster.
pub(crate) const ATTEMPTS: usize = 100;

/// What came of planning and committing once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Attempt<T> {
    /// It is done, or there was nothing to do.
    Done(T),
    /// Somebody else was faster, and nothing was written.
    Overtaken,
}

impl<T> Attempt<T> {
    /// What came of a commit: a conflict is no failure, but a reason to plan anew.
    pub(crate) fn of(committed: Result<T>) -> Result<Self> {
        match committed {
            Ok(done) => Ok(Attempt::Done(done)),
            Err(error) if error.kind() == ErrorKind::Conflict => Ok(Attempt::Overtaken),
            Err(error) => Err(error),
        }
    }

    /// With what is made of the result, where there is one.
    pub(crate) fn map<U>(self, made: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Attempt::Done(done) => Attempt::Done(made(done)),
            Attempt::Overtaken => Attempt::Overtaken,
        }
    }
}

/// Attempts it until it is done or fails, or was overtaken too often.
pub(crate) async fn until_done<T, E: From<Error>, F: Future<Output = Result<Attempt<T>, E>>>(
    operation: &'static str,
    // Not `AsyncFn`: whoever spawns must know that the future is `Send`, whatever it borrows.
    attempt: impl Fn() -> F,
) -> Result<T, E> {
    for _ in 0..ATTEMPTS {
        // Kept off the stack: an attempt is most of what any operation needs, and every caller would move it.
        if let Attempt::Done(done) = Box::pin(attempt()).await? {
            return Ok(done);
        }
    }
    Err(busy(operation).into())
}

/// What whoever was overtaken again and again is told.
pub(crate) fn busy(operation: &'static str) -> Error {
    let message = "other processes keep writing to this user's memory: call again";
    Error::new(ErrorKind::Busy, operation, message)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// What came of it, and how often it was attempted, where the first few are overtaken.
    async fn after(overtaken: usize, then: Result<u8>) -> (Result<u8, ErrorKind>, usize) {
        let attempts = Cell::new(0);
        let ended = until_done("test", || async {
            attempts.set(attempts.get() + 1);
            if attempts.get() <= overtaken {
                return Attempt::of(Err(Error::new(ErrorKind::Conflict, "test", "")));
            }
            Attempt::of(then.clone())
        });
        let ended = ended.await.map_err(|error| error.kind());
        (ended, attempts.get())
    }

    #[tokio::test]
    async fn only_who_was_overtaken_tries_again_and_not_for_ever() {
        let failing = || Err(Error::new(ErrorKind::Io, "test", ""));
        assert_eq!(after(0, Ok(7)).await, (Ok(7), 1));
        assert_eq!(after(3, Ok(7)).await, (Ok(7), 4));
        assert_eq!(after(3, failing()).await, (Err(ErrorKind::Io), 4));
        assert_eq!(after(ATTEMPTS - 1, Ok(7)).await, (Ok(7), ATTEMPTS));
        assert_eq!(
            after(ATTEMPTS, Ok(7)).await,
            (Err(ErrorKind::Busy), ATTEMPTS)
        );
    }
}
