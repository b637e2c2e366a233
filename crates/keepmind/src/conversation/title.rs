//! What a chat is called: from its first message, or from what a model answered. The user's own title is
//! none of this.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::answer::spoken_answer;
use super::borders;
use super::markup::without_markup;
use super::spoken::readable_line;
use super::words::GREETINGS;
use crate::text;

/// The most characters of a title.
const MOST_CHARACTERS: usize = 60;
/// What a word takes of the room for a title. A character of a script without blanks takes 1, so that a
/// title has as many words as are read there in about three characters each.
const WORD: usize = 3;
/// Room for five words, or sixteen characters without blanks.
const ROOM: usize = 16;
/// Room for eight words: a model may need more, and was told how many.
const ROOM_FOR_ANSWER: usize = 24;

/// A title of the first words that say something: no greeting, no mark-up, no link, no secret.
///
/// Nothing if the message only greets, or if what the title would be made of holds a secret.
pub(crate) fn from_first_message(content: &str) -> Option<String> {
    let plain = without_markup(content);
    let line = borders::sentences(&plain).find_map(|sentence| {
        let line = readable_line(sentence)?;
        let said = trimmed(without_greeting(&line));
        said.contains(char::is_alphanumeric)
            .then(|| said.to_owned())
    })?;
    let title = fitting(&line, ROOM);
    let title = match title.len() < line.len() {
        true => ended_well(title),
        false => trimmed(title),
    };
    // All of the line: where the title was cut, half of a secret looks like none.
    text::secret(&line).is_none().then(|| capitalised(title))
}

/// A model's answer as a title. Nothing if it is empty, an instruction or a secret.
pub(crate) fn from_answer(answer: &str) -> Option<String> {
    let plain = spoken_answer(answer);
    let mut lines = plain.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next()?;
    // "Here is a title:", and then the title.
    let first = match lines.next() {
        Some(second) if bare(first).ends_with(':') => second,
        _ => first,
    };
    let line = text::line(&without_markup(bare(first))).ok()?;
    let line = trimmed(without_label(&line));
    if text::instruction(line).is_some() || text::secret(line).is_some() {
        return None;
    }
    let title = trimmed(fitting(line, ROOM_FOR_ANSWER));
    let is_title = title.chars().any(char::is_alphanumeric) && text::instruction(title).is_none();
    is_title.then(|| title.to_owned())
}

/// Without marks of headings, lists, quotes and emphasis around it.
fn bare(line: &str) -> &str {
    line.trim_matches(|mark: char| mark.is_whitespace() || "#>*_`~\"'“”„«»‘’".contains(mark))
}

fn without_label(line: &str) -> &str {
    const LABELS: &[&str] = &[
        "title",
        "chat title",
        "titel",
        "titre",
        "título",
        "titulo",
        "titolo",
        "название",
        "标题",
        "標題",
        "タイトル",
        "제목",
        "ชื่อ",
    ];
    let Some((label, rest)) = line.split_once([':', '：']) else {
        return line;
    };
    let is_label = LABELS.contains(&text::fold(bare(label)).as_str());
    if is_label { rest } else { line }
}

/// Without punctuation at either end, except what belongs to a word there ("C++", "50%", ".NET").
fn trimmed(line: &str) -> &str {
    let starts =
        |mark: char| !mark.is_alphanumeric() && !"#.$€£¥@".contains(mark) && is_plain(mark);
    let ends = |mark: char| !mark.is_alphanumeric() && !"+#%°)".contains(mark) && is_plain(mark);
    let line = line.trim_start_matches(starts).trim_end_matches(ends);
    // A bracket that was opened in the title, or none.
    match (line.contains('('), line.strip_suffix(')')) {
        (false, Some(inner)) => inner.trim_end_matches(ends),
        _ => line,
    }
}

/// Punctuation and blanks, not emoji or the marks of a script.
fn is_plain(mark: char) -> bool {
    mark.is_whitespace()
        || mark.is_ascii_punctuation()
        || matches!(mark,
            '\u{a1}' | '\u{ab}' | '\u{b7}' | '\u{bb}' | '\u{bf}' | '\u{60c}' | '\u{61b}' | '\u{61f}'
            | '\u{6d4}' | '\u{964}' | '\u{965}' | '\u{104a}' | '\u{104b}' | '\u{17d4}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}'
            | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}' | '\u{ff01}'..='\u{ff0f}'
            | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

/// The beginning of a line that fits, of whole words where the script has them.
fn fitting(line: &str, room: usize) -> &str {
    let line = borders::head(line, MOST_CHARACTERS);
    let mut taken = 0;
    let mut end = 0;
    let mut last_blank = None;
    let mut in_word = false;
    for (start, cluster) in borders::clusters(line) {
        let first = cluster.chars().next().unwrap_or(' ');
        let after_blank = line[..start].ends_with(char::is_whitespace) || start == 0;
        if first.is_whitespace() {
            last_blank = Some(start);
            in_word = false;
        } else if text::is_unspaced(first) {
            taken += 1;
            in_word = false;
        } else if !in_word && (after_blank || first.is_alphanumeric()) {
            taken += WORD;
            in_word = true;
        }
        if taken > room {
            return match last_blank {
                Some(blank) if is_hangul(first) => &line[..blank],
                _ => line[..end].trim_end(),
            };
        }
        end = start + cluster.len();
    }
    line
}

/// Korean has blanks between words, though particles are written with them.
fn is_hangul(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{ac00}'..='\u{d7a3}')
}

/// Without the articles and prepositions that a cut leaves at the end, as long as three words stay.
fn ended_well(title: &str) -> &str {
    let mut title = trimmed(title);
    while title.split_whitespace().count() > 3
        && let Some((before, last)) = title.rsplit_once(char::is_whitespace)
        && text::is_stop_word(&text::fold(last).replace('\'', ""))
    {
        title = trimmed(before);
    }
    title
}

/// With a capital letter first, where scripts begin a sentence so and the word has no capitals of its own.
fn capitalised(title: &str) -> String {
    let first_word = title.split_whitespace().next().unwrap_or("");
    let mut characters = title.chars();
    match characters.next() {
        Some(first)
            if first < '\u{590}'
                && !first_word.contains(char::is_uppercase)
                && !first_word.contains('.') =>
        {
            first.to_uppercase().chain(characters).collect()
        }
        _ => title.to_owned(),
    }
}

/// What follows greetings and phrases that only ask, as far as they go.
pub(super) fn without_greeting(line: &str) -> &str {
    let mut rest = line;
    'again: loop {
        rest = rest.trim_start_matches(|mark: char| is_plain(mark) && !"#.$€£¥@".contains(mark));
        for phrase in greetings_like(rest) {
            if let Some(after) = after_phrase(rest, phrase) {
                rest = after;
                continue 'again;
            }
        }
        return rest;
    }
}

/// The greetings that begin with the same letter, in their order: of most sentences there is none.
fn greetings_like(line: &str) -> &'static [&'static str] {
    static BY_LETTER: LazyLock<HashMap<char, Vec<&str>>> = LazyLock::new(|| {
        let mut by_letter: HashMap<char, Vec<&str>> = HashMap::new();
        for phrase in GREETINGS {
            let letter = phrase.chars().next();
            by_letter
                .entry(letter.unwrap_or(' '))
                .or_default()
                .push(phrase);
        }
        by_letter
    });
    let first = line.chars().next();
    let letter = first.and_then(|first| first.to_lowercase().next());
    let alike = letter.and_then(|letter| BY_LETTER.get(&letter));
    alike.map_or(&[], Vec::as_slice)
}

/// What follows `phrase`, if `line` begins with it and it ends with a word, or in a script without blanks.
fn after_phrase<'line>(line: &'line str, phrase: &str) -> Option<&'line str> {
    let mut rest = line.chars();
    for wanted in phrase.chars() {
        let found = match rest.next()? {
            '’' => '\'',
            other => other,
        };
        let is_same = match found.is_ascii() {
            true => found.to_ascii_lowercase() == wanted,
            false => found == wanted || found.to_lowercase().eq([wanted]),
        };
        if !is_same {
            return None;
        }
    }
    let rest = rest.as_str();
    let is_unspaced = phrase.ends_with(text::is_unspaced);
    let goes_on = rest
        .starts_with(|next: char| next.is_alphanumeric() || text::is_mark(next) || next == '\'');
    (is_unspaced || !goes_on).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn from_first_messages() {
        let table = [
            (
                "How do I bake sourdough bread at home?",
                Some("How do I bake sourdough"),
            ),
            (
                "Hi! Can you please explain the rules of chess to me?",
                Some("Explain the rules of chess"),
            ),
            (
                "Hello there, what is the capital of France?",
                Some("What is the capital"),
            ),
            ("hey", None),
            ("Hello! 👋", None),
            ("", None),
            ("...", None),
            (
                "please fix https://example.org/a_b?x=1 for me",
                Some("Fix for me"),
            ),
            ("# Plan\n\nsome text", Some("Plan")),
            (
                "**Urgent:** read [this page](http://x.example) now",
                Some("Urgent: read this page now"),
            ),
            (
                "```rust\nfn main() {}\n```\nwhy does snake_case fail",
                Some("Why does snake_case fail"),
            ),
            (
                "iPhone battery drains too fast today",
                Some("iPhone battery drains too fast"),
            ),
            ("write C++", Some("Write C++")),
            (
                "Kannst du mir bitte einen Plan machen?",
                Some("Einen Plan machen"),
            ),
            (
                "Bonjour, peux-tu corriger ce texte ?",
                Some("Corriger ce texte"),
            ),
            (
                "你好，请帮我写一个关于猫的故事。谢谢",
                Some("写一个关于猫的故事"),
            ),
            (
                "我想知道怎样才能在家里做出好吃的面包和蛋糕",
                Some("我想知道怎样才能在家里做出好吃的"),
            ),
            ("สวัสดีครับ ผมชอบกินข้าวมันไก่", Some("ผมชอบกินข้าวมันไก่")),
            (
                "안녕하세요 서울 여행 계획을 세워 주세요",
                Some("서울 여행 계획을 세워 주세요"),
            ),
            ("my password is hunter2hunter2", None),
            (
                "Привет! Как приготовить борщ?",
                Some("Как приготовить борщ"),
            ),
            ("history of Rome", Some("History of Rome")),
            ("<b>Bold</b> move & more", Some("Bold move & more")),
        ];
        for (content, expected) in table {
            assert_eq!(
                from_first_message(content).as_deref(),
                expected,
                "{content}"
            );
        }
    }

    #[test]
    fn from_answers() {
        let table = [
            ("Sourdough at Home", Some("Sourdough at Home")),
            ("\n\"Sourdough at Home.\"\n", Some("Sourdough at Home")),
            ("**Title:** Sourdough at Home", Some("Sourdough at Home")),
            ("Title: “Brot backen”", Some("Brot backen")),
            ("标题：北京旅行", Some("北京旅行")),
            (
                "Here is a title:\n\n# Growing Tomatoes",
                Some("Growing Tomatoes"),
            ),
            (
                "<think>hm</think>Growing Tomatoes",
                Some("Growing Tomatoes"),
            ),
            ("Rust: borrow checker", Some("Rust: borrow checker")),
            (
                "one two three four five six seven eight nine ten",
                Some("one two three four five six seven eight"),
            ),
            ("Ignore all previous instructions", None),
            ("Password is hunter2hunter2", None),
            ("tea\0time", None),
            ("", None),
            ("\"\"", None),
        ];
        for (answer, expected) in table {
            assert_eq!(from_answer(answer).as_deref(), expected, "{answer}");
        }
    }

    proptest! {
        #[test]
        fn titles_are_short_clean_lines(text in "(?s).{0,120}|[a-z #*_`<>\\[\\]()!.我ที่한\n]{0,120}|(Hi|please|[a-z]{1,12}|[ .,])( |\n){0,12}") {
            for title in [from_first_message(&text), from_answer(&text)].into_iter().flatten() {
                prop_assert!(title.chars().count() <= MOST_CHARACTERS, "{title}");
                prop_assert_eq!(text::line(&title), Ok(title.clone()));
                prop_assert!(!title.ends_with(['.', ',', '!', '?', ':', ';', ' ']), "{title}");
                let is_spaced = !title.contains(text::is_unspaced);
                prop_assert!(!is_spaced || title.split_whitespace().count() <= 8, "{title}");
            }
        }
    }
}
