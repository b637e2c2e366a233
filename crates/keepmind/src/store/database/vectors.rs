//! How near an owner's vectors are at one moment: by those in memory, or by what the database measures.

use std::sync::Arc;

use crate::owner::Owner;
use crate::search::distant::Distant;
use crate::search::vectors::{Cosines, Matrix};
use crate::store::database::Counters;
use crate::store::database::cache::{Caches, VectorState};
use crate::store::database::search::Searches;

/// So many vectors at most are brought one by one, so many times: after that all of them are loaded.
const FEW: usize = 1_000;
const MOST_TIMES: usize = 4;

/// All vectors of an embedder.
pub(crate) enum Vectors {
    Here(Arc<Matrix>),
    /// In the database, and how often some were brought from there.
    There(Box<Distant>, usize),
}

impl Vectors {
    /// How near each is to the direction that they were asked for by.
    pub(crate) fn cosines(&self, direction: &[f32]) -> Cosines<'_> {
        match self {
            Vectors::Here(matrix) => matrix.cosines(direction),
            Vectors::There(distant, _) => distant.cosines(direction),
        }
    }
}

/// A question about vectors: whose, as they are at which counters, of which embedder, and where to look.
pub(crate) struct Asked<'a, K> {
    pub(crate) caches: &'a Caches,
    pub(crate) owner: &'a Owner,
    pub(crate) at: (K, &'a Counters),
    pub(crate) embedder: &'a str,
    pub(crate) direction: &'a [f32],
}

impl<K: Copy> Asked<'_, K> {
    /// Those that are known; else, where few decide and it is the first question, as the database measures them; else
    /// from the database.
    pub(crate) async fn vectors<S: Searches<Key = K>>(
        &self,
        shelf: &mut S,
        known: Option<(VectorState, Arc<Matrix>)>,
        few_decide: bool,
    ) -> Result<Vectors, S::Failure> {
        let (key, counters) = self.at;
        let dimensions = self.direction.len();
        if let Some((known, matrix)) = known
            && known == VectorState::of(counters)
        {
            return Ok(Vectors::Here(matrix));
        }
        let (caches, owner) = (self.caches, self.owner);
        if few_decide
            && shelf.measures()
            && caches.is_first_question(owner, counters, self.embedder, dimensions)
            && let Some(distant) = shelf.measured(key, self.embedder, self.direction).await?
        {
            return Ok(Vectors::There(Box::new(distant), 0));
        }
        self.load(shelf).await
    }

    /// Brings what was missing to answer. Whatever is missing after a few times, it ends: all are loaded.
    pub(crate) async fn complete<S: Searches<Key = K>>(
        &self,
        shelf: &mut S,
        vectors: &mut Vectors,
    ) -> Result<(), S::Failure> {
        if let Vectors::There(distant, times) = vectors {
            let missing = distant.missing();
            if missing.len() <= FEW && *times < MOST_TIMES {
                *times += 1;
                let brought = shelf.vectors_at(self.at.0, self.embedder, &missing).await?;
                distant.bring(&brought);
                return Ok(());
            }
        }
        *vectors = self.load(shelf).await?;
        Ok(())
    }

    async fn load<S: Searches<Key = K>>(&self, shelf: &mut S) -> Result<Vectors, S::Failure> {
        let ((key, counters), dimensions) = (self.at, self.direction.len());
        let matrix = Arc::new(shelf.matrix(key, self.embedder, dimensions).await?);
        let (caches, kept) = (self.caches, Arc::clone(&matrix));
        caches.put_matrix(self.owner, counters, self.embedder, dimensions, kept);
        Ok(Vectors::Here(matrix))
    }
}
