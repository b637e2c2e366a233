//! The part of a message that answers a search, with the words that were found. Searching is elsewhere.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use serde::Serialize;

use super::borders::{self, ELLIPSIS};
use crate::memory::Span;
use crate::order::Gather;
use crate::text;

/// The most characters of a message that a snippet shows.
const MOST_CHARACTERS: usize = 160;

/// How much of the room that is left goes before the first word found, as a share: what follows a word
/// says more about it than what came before.
const LEAD: usize = 3;

/// A part of a message that answers a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Snippet {
    /// One line, with `…` where the message goes on.
    pub text: String,
    /// The words that were found, as bytes of `text`: in order, on character borders, not overlapping.
    pub highlights: Vec<Span>,
}

/// The part of `content` where most of the matched terms stand close together, or its beginning if none
/// does. The terms are of [`text::query_terms`].
pub(crate) fn snippet(content: &str, matched: &[String]) -> Snippet {
    let wanted: HashSet<&str> = matched.iter().map(String::as_str).collect();
    let mut found = find(content, &wanted);
    drop_parts(&mut found);
    let core = densest(content, &found);
    shown(content, window(content, core), &found)
}

/// A word of the content that was searched for.
#[derive(Debug)]
struct Found {
    place: Range<usize>,
    terms: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Unspaced,
    Apostrophe,
    /// Shows nothing and does not end a word.
    Transparent,
    Other,
}

fn class(cluster: &str) -> Class {
    match cluster.chars().next() {
        Some('\'' | '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '\u{ff07}') => {
            Class::Apostrophe
        }
        Some(
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}',
        ) => Class::Transparent,
        Some(first) if text::is_unspaced(first) => Class::Unspaced,
        Some(first) if first.is_alphanumeric() => Class::Letter,
        _ => Class::Other,
    }
}

/// Where the wanted terms stand, in order.
///
/// A term is not a part of the content: it was folded and stemmed. So every word, and every pair of
/// neighbours in scripts without blanks, is made into terms again, as the index did with the whole.
fn find(content: &str, wanted: &HashSet<&str>) -> Vec<Found> {
    let mut found = Vec::new();
    if wanted.is_empty() {
        return found;
    }
    let clusters: Vec<(usize, &str, Class)> = borders::clusters(content)
        .map(|(start, cluster)| (start, cluster, class(cluster)))
        .collect();
    let mut at = 0;
    while let Some(&(start, cluster, class)) = clusters.get(at) {
        let mut next = at + 1;
        let mut end = start + cluster.len();
        if matches!(class, Class::Letter | Class::Unspaced) {
            for (index, &(start, cluster, following)) in clusters.iter().enumerate().skip(next) {
                if following == class {
                    end = start + cluster.len();
                    next = index + 1;
                } else if following == Class::Other
                    || following == Class::Apostrophe && class == Class::Unspaced
                    || matches!(following, Class::Letter | Class::Unspaced)
                {
                    break;
                }
            }
        }
        if class == Class::Unspaced {
            let run: Vec<(usize, &str)> = clusters[at..next]
                .iter()
                .filter(|(_, _, class)| *class == Class::Unspaced)
                .map(|&(start, cluster, _)| (start, cluster))
                .collect();
            find_in_run(&run, wanted, &mut found);
        } else if !(class == Class::Other && cluster.is_ascii()) {
            let terms = wanted_terms(&content[start..end], wanted);
            push(&mut found, start..end, terms);
        }
        at = next;
    }
    found
}

fn find_in_run(run: &[(usize, &str)], wanted: &HashSet<&str>, found: &mut Vec<Found>) {
    for (index, &(start, cluster)) in run.iter().enumerate() {
        let end = start + cluster.len();
        push(found, start..end, wanted_terms(cluster, wanted));
        if let Some(&(next_start, next)) = run.get(index + 1) {
            let mut terms = wanted_terms(&format!("{cluster}{next}"), wanted);
            let alone: Vec<String> = [cluster, next].into_iter().flat_map(text::terms).collect();
            terms.retain(|term| !alone.contains(term));
            push(found, start..next_start + next.len(), terms);
        }
    }
}

/// A query for a word of a script without blanks asks for its characters too, for texts that only have
/// those. Where the word itself stands, they say nothing.
fn drop_parts(found: &mut Vec<Found>) {
    let terms: BTreeSet<String> = found.iter().flat_map(|word| word.terms.clone()).gather();
    let is_part = |term: &String| {
        term.chars().all(text::is_unspaced)
            && terms
                .iter()
                .any(|whole| whole.len() > term.len() && whole.contains(term.as_str()))
    };
    found.retain(|word| !word.terms.iter().all(is_part));
}

fn wanted_terms(part: &str, wanted: &HashSet<&str>) -> BTreeSet<String> {
    let mut terms = text::terms(part);
    terms.retain(|term| wanted.contains(term.as_str()));
    terms.into_iter().gather()
}

/// Pairs of a script without blanks overlap: together they are one word to a reader.
fn push(found: &mut Vec<Found>, place: Range<usize>, terms: BTreeSet<String>) {
    if terms.is_empty() {
        return;
    }
    match found.last_mut() {
        Some(last) if place.start < last.place.end => {
            last.place.end = last.place.end.max(place.end);
            last.terms.extend(terms);
        }
        _ => found.push(Found { place, terms }),
    }
}

/// The range that holds as many different terms as a snippet can show, then as many words.
fn densest(content: &str, found: &[Found]) -> Range<usize> {
    let mut best = 0..0;
    let mut most = (0, 0);
    for (index, first) in found.iter().enumerate() {
        let start = first.place.start;
        // A character has at most four bytes, so what starts further away cannot fit.
        let limit = content[start..]
            .char_indices()
            .nth(MOST_CHARACTERS)
            .map_or(content.len(), |(length, _)| start + length);
        let mut terms = BTreeSet::new();
        let mut count = 0;
        let mut end = first.place.end;
        for word in found[index..]
            .iter()
            .take_while(|word| word.place.end <= limit)
        {
            terms.extend(word.terms.iter());
            count += 1;
            end = word.place.end;
        }
        let score = (terms.len(), count);
        if score > most || most == (0, 0) {
            most = score;
            best = start..end;
        }
    }
    best
}

/// The range with room around it, cut between words where they are near.
fn window(content: &str, core: Range<usize>) -> Range<usize> {
    let width = content[core.clone()].chars().count();
    let Some(spare) = MOST_CHARACTERS.checked_sub(width) else {
        let head = borders::head(&content[core.start..], MOST_CHARACTERS);
        return core.start..core.start + head.len();
    };
    let (before, after) = (&content[..core.start], &content[core.end..]);
    let after_length = after.chars().take(spare).count();
    let lead = (spare / LEAD).max(spare - after_length);
    let lead = borders::tail(before, lead);
    let rest = spare - lead.chars().count();
    let follow = borders::head(after, rest);
    core.start - lead.len()..core.end + follow.len()
}

/// The window as one line, and where the words found stand in it.
fn shown(content: &str, window: Range<usize>, found: &[Found]) -> Snippet {
    let is_cut_before = !content[..window.start].trim().is_empty();
    let is_cut_after = !content[window.end..].trim().is_empty();
    let mut line = String::with_capacity(window.len() + 8);
    if is_cut_before {
        line.push(ELLIPSIS);
    }
    // Where each byte of the window went; a place begins and ends on characters.
    let mut moved = vec![0; window.len() + 1];
    for (position, character) in content[window.clone()].char_indices() {
        moved[position] = line.len();
        if character.is_whitespace() || character.is_control() {
            if !line.is_empty() && !line.ends_with([' ', ELLIPSIS]) {
                line.push(' ');
            }
        } else if !reorders(character) {
            line.push(character);
        }
    }
    moved[window.len()] = line.len();
    let highlights = found
        .iter()
        .filter_map(|word| {
            let start = word.place.start.max(window.start);
            let end = word.place.end.min(window.end);
            let is_inside = start < end;
            let place =
                is_inside.then(|| moved[start - window.start]..moved[end - window.start])?;
            let span = Span {
                start: u32::try_from(place.start).ok()?,
                end: u32::try_from(place.end).ok()?,
            };
            (span.start < span.end).then_some(span)
        })
        .collect();
    line.truncate(line.trim_end().len());
    if is_cut_after {
        line.push(ELLIPSIS);
    }
    Snippet {
        text: line,
        highlights,
    }
}

/// Whether a character turns the direction of what follows, beyond the snippet too.
fn reorders(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::query_terms;

    fn highlighted(snippet: &Snippet) -> Vec<&str> {
        let part = |span: &Span| &snippet.text[span.start as usize..span.end as usize];
        snippet.highlights.iter().map(part).collect()
    }

    #[test]
    fn words_are_found_as_search_finds_them() {
        let table: &[(&str, &str, &[&str])] = &[
            ("tea", "I like teas, and tea.", &["teas", "tea"]),
            ("anna", "Anna's cat", &["Anna's"]),
            ("don't", "We don’t run", &["don’t"]),
            ("cafe", "the CAFÉ Lumen", &["CAFÉ"]),
            ("example.org", "at ann@example.org!", &["example", "org"]),
            ("代码", "我用Rust写代码", &["代码"]),
            ("rust", "我用Rust写代码", &["Rust"]),
            ("猫", "一只猫", &["猫"]),
            ("ข้าวมันไก่", "ผมชอบกินข้าวมันไก่", &["ข้าวมันไก่"]),
            ("서울", "저는 서울에서 살아요", &["서울"]),
            ("ガス", "ｶﾞｽを止める", &["ｶﾞｽ"]),
            ("soft", "so\u{ad}ft skin", &["so\u{ad}ft"]),
            ("خواهم", "من می\u{200c}خواهم", &["می\u{200c}خواهم"]),
            (
                "👩",
                "look: 👨\u{200d}👩\u{200d}👧",
                &["👨\u{200d}👩\u{200d}👧"],
            ),
            ("🇩🇪", "in 🇩🇪🇫🇷", &["🇩🇪"]),
            ("zebra", "no such animal", &[]),
        ];
        for (query, content, expected) in table {
            let snippet = snippet(content, &query_terms(query));
            assert_eq!(highlighted(&snippet), *expected, "{query}");
            assert_eq!(snippet.text, *content);
        }
    }

    #[test]
    fn the_densest_part_is_shown() {
        let filler = "something else entirely ".repeat(20);
        let content = format!("tea\n{filler}green\n\ttea pot {filler}");
        let found = snippet(&content, &query_terms("green tea pot"));
        assert_eq!(highlighted(&found), ["green", "tea", "pot"]);
        assert!(
            found.text.contains("green tea pot something"),
            "{}",
            found.text
        );
        assert!(found.text.starts_with('…') && found.text.ends_with('…'));
        assert!(!found.text.contains('\n'));
        let nowhere = snippet(&content, &[]);
        assert!(nowhere.text.starts_with("tea something") && nowhere.highlights.is_empty());
    }

    #[test]
    fn near_the_end_the_room_goes_to_what_is_before() {
        let content = format!("{}the end", "word ".repeat(60));
        let found = snippet(&content, &query_terms("end"));
        let length = found.text.chars().count();
        assert!((150..=162).contains(&length), "{length}");
        assert!(found.text.starts_with("…word") && found.text.ends_with("the end"));
    }

    #[test]
    fn a_word_without_end_is_cut() {
        let content = "x".repeat(1_000);
        let found = snippet(&content, &query_terms(&content));
        assert_eq!(found.text.chars().count(), MOST_CHARACTERS + 1);
        assert_eq!(found.highlights, [Span { start: 0, end: 160 }]);
    }

    proptest! {
        #[test]
        fn any_text_has_a_snippet(
            content in prop_oneof![
                "(?s).{0,300}",
                "[ab 我的猫ที่ไก่é\n'👩\u{200d}🇩\u{202e}\u{ad}]{0,400}",
            ],
            query in "[ab 我猫ไก่é👩]{0,12}",
            copied in any::<prop::sample::Index>(),
        ) {
            let words: Vec<&str> = content.split_whitespace().collect();
            let copied = if words.is_empty() { "" } else { words[copied.index(words.len())] };
            for query in [query.as_str(), copied] {
                let found = snippet(&content, &query_terms(query));
                prop_assert!(found.text.chars().count() <= MOST_CHARACTERS + 2);
                prop_assert!(!found.text.contains(char::is_control));
                let mut last = 0;
                for span in &found.highlights {
                    let (start, end) = (span.start as usize, span.end as usize);
                    prop_assert!(last <= start && start < end && end <= found.text.len());
                    prop_assert!(found.text.is_char_boundary(start) && found.text.is_char_boundary(end));
                    last = end;
                }
            }
        }

        #[test]
        fn what_search_finds_is_highlighted(word in "[a-zé]{1,8}|[我猫狗茶]{1,4}|[กขคไ]{2,6}", before in "[a-z .]{0,300}") {
            let content = format!("{before} {word}");
            let query = query_terms(&word);
            let is_found = text::terms(&content).iter().any(|term| query.contains(term));
            prop_assert_eq!(is_found, !snippet(&content, &query).highlights.is_empty());
        }
    }
}
