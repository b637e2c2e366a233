//! What is kept in memory of owners that were searched lately: postings and vectors.
//!
//! Keyed by the counters they were read at and the writes that moved those, brought along by this process's own commits, dropped when
//! another process has moved them, bounded in bytes. Never a row: rows are always read from the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

use crate::embedding::Vector;
use crate::ids::{Epoch, RowId};
use crate::owner::Owner;
use crate::search::Document;
use crate::search::index::Index;
use crate::search::keywords::{Corpus, Posting, Terms};
use crate::search::scenes::{Scene, Scenes};
use crate::search::vectors::Matrix;
use crate::store::database::postings::Lists;
use crate::store::database::{Counters, Edition};

/// What a commit did, as far as caches care.
pub(crate) struct Committed {
    pub(crate) before: Counters,
    pub(crate) after: Counters,
    pub(crate) indexed: Vec<(Document, Terms)>,
    pub(crate) unindexed: Vec<(Document, Terms)>,
    /// What came to stand where, and what no longer stands anywhere.
    pub(crate) staged: Vec<(Document, Scene)>,
    pub(crate) ended: Vec<RowId>,
    pub(crate) embedded: Vec<Embedded>,
}

/// An embedding that was set or removed.
pub(crate) type Embedded = (Document, String, Option<Vector>);

#[derive(Debug)]
pub(crate) struct Caches {
    owners: Mutex<Owners>,
    limit: usize,
}

#[derive(Debug, Default)]
struct Owners {
    cached: HashMap<Owner, Cached>,
    clock: u64,
}

#[derive(Debug)]
struct Cached {
    edition: Edition,
    index: Index,
    scenes: Option<(Edition, Arc<Scenes>)>,
    matrices: HashMap<(String, usize), Vectors>,
    used: u64,
}

/// Vectors that were asked about.
#[derive(Debug)]
struct Vectors {
    state: VectorState,
    /// None where they were not loaded for that.
    matrix: Option<Arc<Matrix>>,
}

/// Postings, and what they belong to.
pub(crate) struct Known<L = Option<Arc<Vec<Posting>>>> {
    pub(crate) edition: Edition,
    pub(crate) corpus: Corpus,
    pub(crate) lists: Vec<L>,
}

/// What an owner's vectors depend on: they outlive commits that change no embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VectorState {
    epoch: Epoch,
    changes: u64,
    write: Uuid,
}

impl VectorState {
    pub(crate) fn of(counters: &Counters) -> Self {
        VectorState {
            epoch: counters.state.revision.epoch,
            changes: counters.state.embedding_changes,
            write: counters.embedded,
        }
    }
}

impl Caches {
    pub(crate) fn new(limit: usize) -> Self {
        Caches {
            owners: Mutex::default(),
            limit,
        }
    }

    /// Whether the owner was searched lately: then the next search has little to read.
    pub(crate) fn knows(&self, owner: &Owner) -> bool {
        self.lock().cached.contains_key(owner)
    }

    /// Those of these terms' lists that are known, and the edition and corpus they belong to.
    pub(crate) fn known_lists(&self, owner: &Owner, terms: &[String]) -> Option<Known> {
        let mut owners = self.lock();
        owners.clock += 1;
        let clock = owners.clock;
        let cached = owners.cached.get_mut(owner)?;
        cached.used = clock;
        (cached.edition != Edition::NEVER).then(|| Known {
            edition: cached.edition,
            corpus: cached.index.corpus(),
            lists: terms.iter().map(|term| cached.index.list(term)).collect(),
        })
    }

    /// Where the owner's memories were said, and the edition that belongs to, if it is known.
    pub(crate) fn known_scenes(&self, owner: &Owner) -> Option<(Edition, Arc<Scenes>)> {
        let owners = self.lock();
        owners.cached.get(owner)?.scenes.clone()
    }

    pub(crate) fn put_scenes(&self, owner: &Owner, edition: Edition, scenes: Arc<Scenes>) {
        let mut owners = self.lock();
        owners.get(owner).scenes = Some((edition, scenes));
        owners.evict(self.limit);
    }

    /// The vectors of an embedder, and the counters they belong to, if they are known.
    pub(crate) fn known_matrix(
        &self,
        owner: &Owner,
        embedder: &str,
        dimensions: usize,
    ) -> Option<(VectorState, Arc<Matrix>)> {
        let mut owners = self.lock();
        owners.clock += 1;
        let clock = owners.clock;
        let cached = owners.cached.get_mut(owner)?;
        cached.used = clock;
        let vectors = cached.matrices.get(&(embedder.to_owned(), dimensions))?;
        Some((vectors.state, Arc::clone(vectors.matrix.as_ref()?)))
    }

    /// Whether the vectors of an embedder are asked about for the first time as they are at these counters. From now on
    /// they are not, and what this process commits does not change that; older ones are forgotten.
    ///
    /// A first question is worth no loading where the database can answer it: others write, another process is asked
    /// next, or nobody. Who asks again will go on asking, and in memory that costs least.
    pub(crate) fn is_first_question(
        &self,
        owner: &Owner,
        counters: &Counters,
        embedder: &str,
        dimensions: usize,
    ) -> bool {
        let mut owners = self.lock();
        let state = VectorState::of(counters);
        let matrices = &mut owners.get(owner).matrices;
        let key = (embedder.to_owned(), dimensions);
        if matrices.get(&key).is_some_and(|known| known.state == state) {
            return false;
        }
        let asked = Vectors {
            state,
            matrix: None,
        };
        matrices.insert(key, asked);
        owners.evict(self.limit);
        true
    }

    /// The lists of these terms in that edition, as far as they are known.
    pub(crate) fn lists(
        &self,
        owner: &Owner,
        edition: Edition,
        corpus: Corpus,
        terms: &[String],
    ) -> Vec<Option<Arc<Vec<Posting>>>> {
        let mut owners = self.lock();
        let cached = owners.get(owner);
        if cached.edition != edition {
            cached.edition = edition;
            cached.index = Index::partial(corpus);
        }
        terms.iter().map(|term| cached.index.list(term)).collect()
    }

    pub(crate) fn put_lists(&self, owner: &Owner, edition: Edition, lists: &Lists) {
        let mut owners = self.lock();
        let cached = owners.get(owner);
        if cached.edition == edition {
            for (term, list) in lists {
                cached.index.put_list(term.clone(), Arc::clone(list));
            }
        }
        owners.evict(self.limit);
    }

    pub(crate) fn put_matrix(
        &self,
        owner: &Owner,
        counters: &Counters,
        embedder: &str,
        dimensions: usize,
        matrix: Arc<Matrix>,
    ) {
        let mut owners = self.lock();
        let vectors = Vectors {
            state: VectorState::of(counters),
            matrix: Some(matrix),
        };
        let cached = owners.get(owner);
        cached
            .matrices
            .insert((embedder.to_owned(), dimensions), vectors);
        owners.evict(self.limit);
    }

    /// Brings what is cached along with a commit of this process.
    pub(crate) fn committed(&self, owner: &Owner, committed: &Committed) {
        let Committed {
            before,
            after,
            indexed,
            unindexed,
            staged,
            ended,
            embedded,
        } = committed;
        let mut owners = self.lock();
        let Some(cached) = owners.cached.get_mut(owner) else {
            return;
        };
        if cached.edition == before.edition() {
            for (document, terms) in unindexed {
                cached.index.remove(*document, terms);
            }
            for (document, terms) in indexed {
                cached.index.insert(*document, terms);
            }
            cached.edition = after.edition();
        }
        if let Some((edition, scenes)) = &mut cached.scenes
            && *edition == before.edition()
        {
            *edition = after.edition();
            if !(unindexed.is_empty() && staged.is_empty() && ended.is_empty()) {
                let scenes = Arc::make_mut(scenes);
                let gone = unindexed.iter();
                gone.for_each(|(document, _)| scenes.remove(*document));
                ended.iter().for_each(|row| scenes.remove_row(*row));
                for (document, scene) in staged {
                    scenes.set(*document, scene.clone());
                }
            }
        }
        for ((embedder, dimensions), vectors) in &mut cached.matrices {
            if vectors.state != VectorState::of(before) {
                continue;
            }
            vectors.state = VectorState::of(after);
            let is_changed = embedded.iter().any(|(_, name, _)| name == embedder);
            if unindexed.is_empty() && !is_changed {
                continue;
            }
            let Some(matrix) = &mut vectors.matrix else {
                continue;
            };
            let matrix = Arc::make_mut(matrix);
            unindexed
                .iter()
                .for_each(|(document, _)| matrix.remove(*document));
            for (document, _, vector) in embedded.iter().filter(|(_, name, _)| name == embedder) {
                match vector {
                    Some(vector) if vector.dimensions() == *dimensions => {
                        matrix.set(*document, vector.as_slice())
                    }
                    _ => matrix.remove(*document),
                }
            }
        }
    }

    pub(crate) fn forget(&self, owner: &Owner) {
        self.lock().cached.remove(owner);
    }

    fn lock(&self) -> MutexGuard<'_, Owners> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owners {
    fn get(&mut self, owner: &Owner) -> &mut Cached {
        self.clock += 1;
        let clock = self.clock;
        let cached = self.cached.entry(owner.clone()).or_insert_with(|| Cached {
            // Until a search asks for lists it holds none.
            edition: Edition::NEVER,
            index: Index::partial(Corpus::default()),
            scenes: None,
            matrices: HashMap::new(),
            used: clock,
        });
        cached.used = clock;
        cached
    }

    /// Drops the owners that were searched longest ago, until the rest fits. Of the last one only the
    /// postings go: they come back as they are asked for.
    fn evict(&mut self, limit: usize) {
        let bytes = |cached: &Cached| {
            let matrices = cached.matrices.values();
            let matrices = matrices.filter_map(|vectors| vectors.matrix.as_ref());
            let vectors: usize = matrices.map(|matrix| matrix.bytes()).sum();
            let scenes = cached.scenes.as_ref().map_or(0, |(_, all)| all.bytes());
            cached.index.bytes() + scenes + vectors + 256
        };
        let mut total: usize = self.cached.values().map(bytes).sum();
        while total > limit && self.cached.len() > 1 {
            let oldest = self
                .cached
                .iter()
                .min_by_key(|(_, cached)| cached.used)
                .map(|(owner, _)| owner.clone());
            let Some(gone) = oldest.and_then(|owner| self.cached.remove(&owner)) else {
                return;
            };
            total -= bytes(&gone);
        }
        if total > limit {
            self.cached
                .values_mut()
                .for_each(|cached| cached.index.forget_lists());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::owner::{OwnerState, Revision};

    /// The counters after so many changes of embeddings, the last by this write.
    fn counters(changes: u64, write: u128) -> Counters {
        let state = OwnerState {
            revision: Revision {
                count: changes,
                ..Revision::NONE
            },
            embedding_changes: changes,
            ..OwnerState::NONE
        };
        Counters {
            embedded: Uuid::from_u128(write),
            ..state.into()
        }
    }

    fn committed(before: Counters, after: Counters, embedded: Vec<Embedded>) -> Committed {
        Committed {
            before,
            after,
            indexed: Vec::new(),
            unindexed: Vec::new(),
            staged: Vec::new(),
            ended: Vec::new(),
            embedded,
        }
    }

    #[test]
    fn of_vectors_as_they_are_one_question_is_the_first() {
        let caches = Caches::new(1 << 20);
        let [alice, bob] = ["alice", "bob"].map(|name| Owner::new(name).unwrap());
        let now = counters(1, 1);
        let first = |owner: &Owner, counters: &Counters, dimensions: usize| {
            caches.is_first_question(owner, counters, "small", dimensions)
        };
        assert!(first(&alice, &now, 2));
        assert!(!first(&alice, &now, 2));
        assert!(first(&alice, &now, 3));
        assert!(first(&bob, &now, 2));
        assert!(caches.is_first_question(&alice, &now, "large", 2));
        assert!(caches.known_matrix(&alice, "small", 2).is_none());

        let own = counters(2, 2);
        let vector = Vector::new(vec![0.0, 1.0]).unwrap();
        let embedded = vec![(7, "small".to_owned(), Some(vector))];
        caches.committed(&alice, &committed(now, own, embedded));
        assert!(!first(&alice, &own, 2), "its own commits are no news");
        let others = counters(2, 3);
        assert!(first(&alice, &others, 2));
        caches.forget(&alice);
        assert!(first(&alice, &others, 2));
    }

    #[test]
    fn vectors_that_were_loaded_are_asked_about_until_others_have_changed_them() {
        let caches = Caches::new(1 << 20);
        let alice = Owner::new("alice").unwrap();
        let now = counters(1, 1);
        caches.put_matrix(&alice, &now, "small", 2, Arc::new(Matrix::new(2)));
        assert!(!caches.is_first_question(&alice, &now, "small", 2));
        assert!(caches.known_matrix(&alice, "small", 2).is_some());
        let others = counters(2, 2);
        assert!(caches.is_first_question(&alice, &others, "small", 2));
        assert!(caches.known_matrix(&alice, "small", 2).is_none());
    }
}
