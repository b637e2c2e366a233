//! Where documents were said: in which chat, by whom, since when they hold. What stands beside a document
//! tells what it is about: an answer is found by its question.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::OnceLock;

use crate::ids::{RowId, SessionId};
use crate::memory::{Claim, Layer};
use crate::search::Document;
use crate::text;
use crate::timestamp::Timestamp;

/// Where one memory was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scene {
    pub(crate) row: RowId,
    pub(crate) session: Option<SessionId>,
    /// The name at the head of its line, folded.
    pub(crate) speaker: Option<String>,
    pub(crate) since: Timestamp,
}

impl Scene {
    pub(crate) fn of(row: RowId, claim: &Claim) -> Self {
        // An episode repeats what its chat's facts say: it must speak for none of them, nor they for it.
        let is_said = claim.layer != Layer::Episode;
        Scene {
            row,
            session: claim.session.filter(|_| is_said),
            speaker: text::speaker(&claim.content).filter(|_| is_said),
            since: claim.valid_from,
        }
    }
}

/// The scenes of one owner's open memories, in order of document. One that has ended has none: what is
/// forgotten leads to nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scenes {
    documents: Vec<Document>,
    rows: Vec<RowId>,
    since: Vec<Timestamp>,
    /// By number, 0 where there is none.
    chats: Vec<u32>,
    speakers: Vec<u32>,
    chat_names: Names<SessionId>,
    speaker_names: Names<String>,
    /// Made when first asked for, after every change anew.
    neighbours: OnceLock<Neighbours>,
}

/// Numbers for names, from 1.
#[derive(Debug, Clone)]
struct Names<N> {
    numbers: HashMap<N, u32>,
}

impl<N> Default for Names<N> {
    fn default() -> Self {
        Names {
            numbers: HashMap::new(),
        }
    }
}

impl<N: Eq + Hash> Names<N> {
    fn number(&mut self, name: Option<N>) -> u32 {
        let Some(name) = name else {
            return 0;
        };
        let next = self.numbers.len() as u32 + 1;
        *self.numbers.entry(name).or_insert(next)
    }

    fn count(&self) -> usize {
        self.numbers.len()
    }
}

/// What was said right before and right after in the same chat, where somebody else said it: an owner's own
/// lines beside each other are about as many things.
#[derive(Debug, Clone, Default)]
pub(crate) struct Neighbours {
    before: Vec<u32>,
    after: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Neighbours {
    pub(crate) fn before(&self, place: usize) -> Option<usize> {
        neighbour(&self.before, place)
    }

    pub(crate) fn after(&self, place: usize) -> Option<usize> {
        neighbour(&self.after, place)
    }

    /// True when nobody answers anybody.
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty()
    }
}

fn neighbour(all: &[u32], place: usize) -> Option<usize> {
    let found = all.get(place).filter(|found| **found != NOBODY)?;
    Some(*found as usize)
}

impl Scenes {
    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }

    pub(crate) fn since(&self, place: usize) -> Option<Timestamp> {
        self.since.get(place).copied()
    }

    /// The number of the chat, from 1; 0 where there is none.
    pub(crate) fn chat(&self, place: usize) -> usize {
        self.chats.get(place).map_or(0, |chat| *chat as usize)
    }

    /// How many chats there are.
    pub(crate) fn chat_count(&self) -> usize {
        self.chat_names.count()
    }

    /// Of which places the speaker is named in a folded question.
    pub(crate) fn named(&self, question: &str) -> Named<'_> {
        let speakers = &self.speaker_names.numbers;
        let mut is_named = vec![false; speakers.len() + 1];
        for (name, number) in speakers {
            is_named[*number as usize] = text::names(question, name);
        }
        Named {
            speakers: &self.speakers,
            is_named,
        }
    }

    pub(crate) fn neighbours(&self) -> &Neighbours {
        self.neighbours.get_or_init(|| self.find_neighbours())
    }

    fn find_neighbours(&self) -> Neighbours {
        if self.speaker_names.count() < 2 {
            return Neighbours::default();
        }
        let nobody = vec![NOBODY; self.documents.len()];
        let mut neighbours = Neighbours {
            before: nobody.clone(),
            after: nobody,
        };
        let mut last = vec![NOBODY; self.chat_names.count() + 1];
        for (place, (&chat, &speaker)) in self.chats.iter().zip(&self.speakers).enumerate() {
            if chat == 0 {
                continue;
            }
            let before = std::mem::replace(&mut last[chat as usize], place as u32);
            let other = self.speakers.get(before as usize).copied().unwrap_or(0);
            if speaker != 0 && other != 0 && other != speaker {
                neighbours.before[place] = before;
                neighbours.after[before as usize] = place as u32;
            }
        }
        neighbours
    }

    pub(crate) fn set(&mut self, document: Document, scene: Scene) {
        let Scene {
            row,
            session,
            speaker,
            since,
        } = scene;
        self.neighbours = OnceLock::new();
        let chat = self.chat_names.number(session);
        let speaker = self.speaker_names.number(speaker);
        match self.documents.binary_search(&document) {
            Ok(place) => {
                self.rows[place] = row;
                self.since[place] = since;
                self.chats[place] = chat;
                self.speakers[place] = speaker;
            }
            Err(place) => {
                self.documents.insert(place, document);
                self.rows.insert(place, row);
                self.since.insert(place, since);
                self.chats.insert(place, chat);
                self.speakers.insert(place, speaker);
            }
        }
    }

    pub(crate) fn remove(&mut self, document: Document) {
        if let Ok(place) = self.documents.binary_search(&document) {
            self.remove_at(place);
        }
    }

    /// Takes away the scene of a row, where its document is not at hand.
    #[cfg(any(feature = "sqlite", feature = "postgres", test))]
    pub(crate) fn remove_row(&mut self, row: RowId) {
        if let Some(place) = self.rows.iter().position(|one| *one == row) {
            self.remove_at(place);
        }
    }

    fn remove_at(&mut self, place: usize) {
        self.neighbours = OnceLock::new();
        self.documents.remove(place);
        self.rows.remove(place);
        self.since.remove(place);
        self.chats.remove(place);
        self.speakers.remove(place);
    }

    /// How many bytes it takes, about.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn bytes(&self) -> usize {
        let each = size_of::<Document>()
            + size_of::<RowId>()
            + size_of::<Timestamp>()
            + 4 * size_of::<u32>();
        self.documents.capacity() * each
            + (self.chat_names.count() + self.speaker_names.count()) * 64
    }
}

/// Which speakers a question names.
pub(crate) struct Named<'a> {
    speakers: &'a [u32],
    is_named: Vec<bool>,
}

impl Named<'_> {
    pub(crate) fn is_any(&self) -> bool {
        self.is_named.contains(&true)
    }

    pub(crate) fn at(&self, place: usize) -> bool {
        let speaker = self.speakers.get(place).map_or(0, |speaker| *speaker);
        self.is_named[speaker as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn scene(number: u128, chat: u128, line: &str) -> Scene {
        let session = (chat > 0).then(|| SessionId::new(Uuid::from_u128(chat)));
        let mut claim = Claim::note("fact", line, Timestamp::UNIX_EPOCH);
        claim.session = session;
        Scene::of(RowId::new(Uuid::from_u128(number)), &claim)
    }

    fn pairs(scenes: &Scenes) -> Vec<(Document, Document)> {
        let neighbours = scenes.neighbours();
        let documents = scenes.documents();
        (0..documents.len())
            .filter_map(|place| {
                let after = neighbours.after(place)?;
                assert_eq!(neighbours.before(after), Some(place));
                Some((documents[place], documents[after]))
            })
            .collect()
    }

    #[test]
    fn neighbours_are_of_one_chat_and_two_speakers() {
        let mut scenes = Scenes::default();
        let lines = [
            (1, 1, "Anna: Where do you live?"),
            (2, 1, "Ben: In Graz."),
            (3, 1, "Ben: Since May."),
            (4, 2, "Anna: Another chat"),
            (5, 1, "Anna: I see"),
            (6, 1, "no speaker"),
            (7, 1, "Ben: again"),
            (8, 0, "Anna: no chat"),
        ];
        for (number, chat, line) in lines {
            scenes.set(number as Document, scene(number, chat, line));
        }
        assert_eq!(pairs(&scenes), [(1, 2), (3, 5)]);
        scenes.remove(3);
        assert_eq!(pairs(&scenes), [(1, 2), (2, 5)]);
        scenes.remove_row(RowId::new(Uuid::from_u128(1)));
        assert_eq!(pairs(&scenes), [(2, 5)]);
        scenes.set(5, scene(5, 1, "Ben: I see"));
        assert_eq!(pairs(&scenes), []);
        let named = scenes.named("what did anna say?");
        assert!(named.is_any());
        let places = (0..scenes.documents().len()).filter(|place| named.at(*place));
        let documents = places.map(|place| scenes.documents()[place]);
        assert_eq!(documents.collect::<Vec<_>>(), [4, 8]);
    }

    #[test]
    fn where_nobody_speaks_there_are_no_neighbours() {
        let mut scenes = Scenes::default();
        for number in 1..5 {
            scenes.set(number as Document, scene(number, 1, "plain"));
        }
        assert!(scenes.neighbours().is_empty());
        assert_eq!(scenes.chat_count(), 1);
        assert!(!scenes.named("plain").is_any());
    }
}
