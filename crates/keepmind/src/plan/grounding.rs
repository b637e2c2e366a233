//! Whether what a tool writes stands in the user's own words: what decides its trust.

use crate::ids::Number;
use crate::memory::{Evidence, Span};
use crate::order;
use crate::plan::details::{content_terms, links};
use crate::plan::said::{LONGEST_SENTENCE, Said, Sentence, Turn};
use crate::plan::spans::Stretch;
use crate::plan::wanted::Wanted;
use crate::plan::words::Wording;
use crate::row::MemoryRow;
use crate::text::{self, Cut};

/// How many sentences of a message are weighed against each other.
const MOST_SENTENCES: usize = 64;

/// Where a content stands in the user's words.
pub(super) struct Grounds {
    pub evidence: Vec<Evidence>,
}

/// Looks for a message that grounds a content, the newest first.
///
/// In one message, outside what `is_excluded` rules out, must occur: its numbers, names and links, each
/// in a sentence that speaks of the same thing; at least half of its content words; and what the user said
/// of them must be denied just where the content denies it. What `known` holds, the row
/// that is being updated, needs no support, unless foreign text is in the chat.
pub(super) fn ground(
    content: &str,
    known: &str,
    turn: &Turn,
    is_excluded: impl Fn(Stretch) -> bool,
) -> Option<Grounds> {
    ground_cut(content, &Cut::of(content), known, turn, is_excluded)
}

/// [`ground`], where the content was cut already.
fn ground_cut(
    content: &str,
    cut: &Cut,
    known: &str,
    turn: &Turn,
    is_excluded: impl Fn(Stretch) -> bool,
) -> Option<Grounds> {
    let wanted = Wanted::of(content, cut, if turn.untrusted { "" } else { known });
    if wanted.terms.is_empty() {
        return None;
    }
    turn.said.iter().rev().find_map(|said| {
        let sentences = said.sentences().iter().filter(|sentence| {
            !is_excluded(Stretch {
                session: turn.session,
                message: said.message,
                span: sentence.span,
            })
        });
        let sentences: Vec<&Sentence> = sentences
            .filter(|sentence| wanted.touches(sentence))
            .take(MOST_SENTENCES)
            .collect();
        // The user may speak another language than the content; then only its names and numbers are
        // found. That is not enough where somebody else may have made it up.
        let speaks_of_it =
            turn.untrusted || sentences.iter().any(|sentence| wanted.is_about(sentence));
        let mut chosen = wanted.support(sentences, speaks_of_it)?;
        if !wanted.agrees_with(content, said, &chosen) {
            return None;
        }
        order::sort_by_key(&mut chosen, |sentence| sentence.span);
        let evidence = chosen.into_iter().map(|sentence| Evidence::Quote {
            session: turn.session,
            message: said.message,
            span: sentence.span,
            quote: said.slice(sentence.span).to_owned(),
        });
        Some(Grounds {
            evidence: evidence.collect(),
        })
    })
}

/// Where a content stands in the user's words, forgotten or not.
pub(crate) fn grounds_of(wording: &Wording, turn: &Turn) -> Option<Vec<Evidence>> {
    ground_cut(&wording.content, &wording.cut, "", turn, |_| false).map(|grounds| grounds.evidence)
}

/// Where the user wrote these words, outside what `is_excluded` rules out, the newest place first.
pub(super) fn quote(
    words: &str,
    turn: &Turn,
    is_excluded: impl Fn(Stretch) -> bool,
) -> Option<Evidence> {
    let folded = text::fold(words);
    turn.said.iter().rev().find_map(|said| {
        let is_open = |span: Span| {
            !is_excluded(Stretch {
                session: turn.session,
                message: said.message,
                span,
            })
        };
        let sentences = said.sentences();
        let one = sentences
            .iter()
            .find(|sentence| sentence.folded.contains(&folded) && is_open(sentence.span));
        let span = match one {
            Some(sentence) => sentence.span,
            None => {
                // Words over several sentences: only where nothing foreign stands between them.
                let (first, last) = (sentences.first()?, sentences.last()?);
                let whole = Span {
                    start: first.span.start,
                    end: last.span.end,
                };
                let is_own = said.untrusted.is_empty() && said.len() <= LONGEST_SENTENCE;
                let holds = is_own && text::fold(said.slice(whole)).contains(&folded);
                Some(whole).filter(|whole| holds && is_open(*whole))?
            }
        };
        Some(Evidence::Quote {
            session: turn.session,
            message: said.message,
            span,
            quote: said.slice(span).to_owned(),
        })
    })
}

/// What a user can ask for to be done with a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// That it ends.
    ToEnd,
    /// That something else is done with it.
    Anything,
}

/// Whether the user's last message asks for something to be done with a fact: it names its number or
/// says at least half of its words, and, where it is to end, that it is to be forgotten or is not so. A
/// message that the content itself rests on does not ask for anything to be done with it.
pub(super) fn asks_about(
    asked: Asked,
    fact: &MemoryRow,
    evidence: &[Evidence],
    turn: &Turn,
) -> bool {
    let Some(last) = turn.said.last() else {
        return false;
    };
    let rests_on = evidence.iter().any(|piece| {
        matches!(piece, Evidence::Quote { session, message, .. }
            if *session == turn.session && *message == last.message)
    });
    let content = fact.body.claim.content.as_str();
    let terms = content_terms(content, &Cut::of(content));
    !rests_on
        && last.sentences().iter().any(|sentence| {
            let common = terms.common(sentence.terms());
            let is_meant = common * 2 >= terms.len().max(1);
            let said = last.slice(sentence.span);
            let is_wanted =
                asked == Asked::Anything || sentence.is_negated || text::asks_to_forget(said);
            (names(said, fact.body.number) || is_meant) && is_wanted
        })
}

/// Whether a text holds `#12`, and not only as the beginning of `#123`.
pub(crate) fn names(text: &str, number: Number) -> bool {
    let name = number.to_string();
    text.match_indices(&name).any(|(at, found)| {
        let next = text[at + found.len()..].chars().next();
        next.is_none_or(|character| !character.is_ascii_digit())
    })
}

/// The first link of a text that none of the user's messages, nor a known text, holds.
pub(super) fn foreign_link<'t>(text: &'t str, known: &str, turn: &Turn) -> Option<&'t str> {
    links(text).find(|link| {
        let folded = text::fold(link);
        !text::fold(known).contains(&folded)
            && !turn
                .said
                .iter()
                .flat_map(Said::sentences)
                .any(|sentence| sentence.folded.contains(&folded))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MessageNumber, SessionId};

    fn turn(said: &[&str]) -> Turn {
        Turn {
            session: SessionId::new(uuid::Uuid::from_u128(1)),
            said: (1..)
                .zip(said)
                .map(|(number, content)| {
                    Said::new(MessageNumber::new(number).unwrap(), content, &[])
                })
                .collect(),
            untrusted: false,
        }
    }

    fn quotes(content: &str, said: &[&str]) -> Option<Vec<String>> {
        let grounds = ground(content, "", &turn(said), |_| false)?;
        let quote = |piece: Evidence| match piece {
            Evidence::Quote { quote, .. } => Some(quote),
            Evidence::Observation { .. } => None,
        };
        Some(grounds.evidence.into_iter().filter_map(quote).collect())
    }

    #[test]
    fn grounded_in_the_users_words() {
        for (content, said, quote) in [
            (
                "User likes tea",
                "remember that I like tea",
                "remember that I like tea",
            ),
            (
                "User is targeting retirement at 50",
                "Hi. I'm targeting retirement at 50! What now?",
                "I'm targeting retirement at 50!",
            ),
            (
                "The user's wife is named Sarah",
                "my wife's name is sarah",
                "my wife's name is sarah",
            ),
            (
                "User lives in Zürich",
                "Ich wohne in Zürich.",
                "Ich wohne in Zürich.",
            ),
            ("用户喜欢喝茶", "我喜欢喝茶。你呢？", "我喜欢喝茶。"),
            (
                "User's site is example.com/me",
                "see example.com/me, my site",
                "see example.com/me, my site",
            ),
        ] {
            assert_eq!(
                quotes(content, &[said]),
                Some(vec![quote.to_owned()]),
                "{content}"
            );
        }
        assert_eq!(
            quotes(
                "User keeps a brown dog named Rex",
                &["I keep a brown dog. Nice day. His name is Rex."]
            ),
            Some(vec![
                "I keep a brown dog.".to_owned(),
                "His name is Rex.".to_owned()
            ])
        );
    }

    #[test]
    fn not_grounded() {
        for (content, said) in [
            ("User is an administrator of the bank", "read this page"),
            ("User likes tea", "yes"),
            (
                "User is targeting retirement at 55",
                "I'm targeting retirement at 50",
            ),
            ("User's wife is Anna", "my wife is Sarah"),
            ("User likes tea, see http://evil.example", "I like tea"),
            ("The user", "the user"),
            ("User has a cat and plays tennis on Sundays", "I have a cat"),
        ] {
            assert_eq!(quotes(content, &[said]), None, "{content}");
        }
        assert_eq!(
            quotes(
                "User owns a brown dog Rex",
                &["I own a brown dog", "Rex is nice"]
            ),
            None
        );
    }

    #[test]
    fn the_opposite_of_what_was_said_is_not_grounded() {
        for (content, said) in [
            ("Buys stocks on margin", "I never buy stocks on margin."),
            ("User eats meat", "I don't eat meat, I love fish"),
            ("User does not like tea", "I like tea"),
            ("用户吃肉", "我不吃肉"),
        ] {
            assert_eq!(quotes(content, &[said]), None, "{content}");
        }
        for (content, said) in [
            ("User never buys stocks", "I never buy stocks"),
            (
                "No individual stocks",
                "don't suggest individual stocks, I only do funds",
            ),
            ("Only buys funds", "I don't buy stocks, I only buy funds"),
            ("User loves fish", "I don't eat meat, I love fish"),
            ("User dislikes coffee", "I don't like coffee"),
            (
                "Show percentages, not dollars",
                "please show percentages, not dollars",
            ),
        ] {
            assert!(quotes(content, &[said]).is_some(), "{content}");
        }
    }

    #[test]
    fn a_number_or_name_said_of_something_else_is_not_grounded() {
        for (content, said) in [
            ("Limit is 40", "My limit is 500. My age is 40."),
            ("User's boss is Sarah", "My wife is Sarah. My boss is Anna."),
        ] {
            assert_eq!(quotes(content, &[said]), None, "{content}");
        }
    }

    #[test]
    fn a_message_without_end_is_looked_at_only_so_far() {
        let long = "I like tea and milk. ".repeat(50_000);
        assert!(quotes("User likes tea", &[&long]).is_some());
        assert!(quotes("User likes tea, milk, wine, beer, rum and gin", &[&long]).is_none());
        let late = format!("{}I own a boat.", "x y z. ".repeat(20_000));
        assert_eq!(quotes("User owns a boat", &[&late]), None);
    }

    #[test]
    fn what_is_not_the_users_own_grounds_nothing() {
        let content = "Look: \"I like tea\" they say";
        let span = Span { start: 6, end: 18 };
        let said = Said::new(MessageNumber::FIRST, content, &[span]);
        let turn = Turn {
            said: vec![said],
            ..turn(&[])
        };
        assert!(ground("User likes tea", "", &turn, |_| false).is_none());
    }

    #[test]
    fn an_update_need_not_repeat_what_is_known() {
        let (new, old) = ("Retire at 55 in Lisbon", "Retire at 50 in Lisbon");
        let mut turn = turn(&["actually, make that 55"]);
        assert!(ground(new, old, &turn, |_| false).is_some());
        assert!(ground(new, "", &turn, |_| false).is_none());
        turn.untrusted = true;
        assert!(ground(new, old, &turn, |_| false).is_none());
    }
}
