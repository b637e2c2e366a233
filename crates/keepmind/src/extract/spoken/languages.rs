//! The languages that are read, and which of them a message is in.

use std::sync::LazyLock;

use super::language::{CITES, COMMON, Language, MAKES, PLAYS, Ready, STOPS_PLAYING, SUPPOSES};
use super::phrases::{Classes, Phrases};
use super::words::Sentence;

/// Classes that hold in a message of any language: a request and what it is about may differ in theirs.
const EVERYWHERE: Classes = SUPPOSES | PLAYS | MAKES | CITES | STOPS_PLAYING;

/// All languages that are read, English first.
pub(super) static ALL: &[&Language] = &[
    &super::english::LANGUAGE,
    &super::german::LANGUAGE,
    &super::spanish::LANGUAGE,
    &super::french::LANGUAGE,
];

static READY: LazyLock<Vec<Ready>> = LazyLock::new(|| {
    let everywhere: Vec<_> = ALL
        .iter()
        .flat_map(|language| language.cues)
        .filter(|(classes, _)| classes & EVERYWHERE != 0)
        .collect();
    ALL.iter()
        .enumerate()
        .map(|(index, language)| Ready {
            language,
            cues: Phrases::new(language.cues.iter().chain(everywhere.iter().copied())),
            is_english: index == 0,
        })
        .collect()
});

/// The language in which most common words of a message are; nothing where none is known.
pub(super) fn of(sentences: &[Sentence<'_>]) -> Option<&'static Ready> {
    let count = |ready: &&Ready| {
        sentences
            .iter()
            .flat_map(|sentence| sentence.words.windows(1))
            .filter(|word| ready.cues.at(word).0 & COMMON != 0)
            .count()
    };
    // The first of the best: English, where nothing tells.
    READY
        .iter()
        .map(|ready| (count(&ready), ready))
        .fold(None, |best: Option<(usize, &Ready)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ if next.0 > 0 => Some(next),
            best => best,
        })
        .map(|(_, ready)| ready)
        .or_else(|| {
            let mut words = sentences.iter().flat_map(|sentence| &sentence.words);
            words.all(|word| word.written.is_ascii()).then(english)
        })
}

/// English, for an answer of a word or two, and where nothing tells.
pub(super) fn english() -> &'static Ready {
    &READY[0]
}
