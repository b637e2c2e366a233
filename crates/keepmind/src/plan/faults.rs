//! Everything that speaks against a command, gathered over all its parts: who asks is told it at once.

use crate::refusal::Refusal;

/// Refusals gathered so far: the first one's message, everybody's codes.
#[derive(Default)]
pub(super) struct Faults(Option<Refusal>);

impl Faults {
    pub(super) fn add(&mut self, refusal: Refusal) {
        self.0 = Some(Faults(self.0.take()).joined(refusal));
    }

    fn joined(self, refusal: Refusal) -> Refusal {
        match self.0 {
            Some(first) => first.and(refusal.codes()),
            None => refusal,
        }
    }

    /// Gathers a part's refusal.
    pub(super) fn check(&mut self, part: Result<(), Refusal>) {
        self.take(part);
    }

    /// A part, or an empty one in its place where it was refused.
    pub(super) fn take<T: Default>(&mut self, part: Result<T, Refusal>) -> T {
        part.unwrap_or_else(|refusal| {
            self.add(refusal);
            T::default()
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The last part, where nothing was refused before it either.
    pub(super) fn finish_with<T>(self, last: Result<T, Refusal>) -> Result<T, Refusal> {
        match last {
            Ok(whole) => self.finish(whole),
            Err(refusal) => Err(self.joined(refusal)),
        }
    }

    /// The whole, where nothing was refused.
    pub(super) fn finish<T>(self, whole: T) -> Result<T, Refusal> {
        match self.0 {
            Some(refusal) => Err(refusal),
            None => Ok(whole),
        }
    }
}
