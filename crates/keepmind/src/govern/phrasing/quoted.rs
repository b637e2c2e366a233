//! What of a reply is not its own words: code, block quotes, and what stands in quotation marks.

use std::ops::Range;

/// How long what stands in quotation marks may be: an opening mark that nobody closes quotes nothing.
const LONGEST_QUOTE: usize = 2_000;

/// The parts of a text that are quoted, in order and without overlaps.
pub(super) fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    let mut fence: Option<(usize, &str)> = None;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let bare = line.trim();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (Some((from, open)), Some(mark)) if mark == open => {
                found.push(from..range.end);
                fence = None;
            }
            (Some(_), _) => {}
            (None, Some(mark)) => fence = Some((range.start, mark)),
            (None, None) if bare.starts_with('>') => found.push(range),
            (None, None) => in_line(text, range, &mut found),
        }
    }
    if let Some((from, _)) = fence {
        found.push(from..text.len());
    }
    found
}

/// What one line holds between marks.
fn in_line(text: &str, line: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = line.start;
    while at < line.end {
        let rest = &text[at..line.end];
        let Some(character) = rest.chars().next() else {
            return;
        };
        let after = at + character.len_utf8();
        let before = text[line.start..at].chars().next_back();
        match closing(character, before).and_then(|close| end_of(&text[after..line.end], close)) {
            Some(length) => {
                found.push(at..after + length);
                at = after + length;
            }
            None => at = after,
        }
    }
}

/// The marks that end what a mark begins.
fn closing(open: char, before: Option<char>) -> Option<&'static [char]> {
    let is_inside = before.is_some_and(char::is_alphanumeric);
    match open {
        '`' => Some(&['`']),
        '"' => Some(&['"']),
        '“' => Some(&['”', '“']),
        '„' => Some(&['“', '”', '"']),
        '«' => Some(&['»']),
        '»' => Some(&['«']),
        '「' => Some(&['」']),
        '‘' | '‚' => Some(&['’', '‘']),
        '\'' if !is_inside => Some(&['\'']),
        _ => None,
    }
}

/// How far what is quoted goes, its end mark included.
fn end_of(rest: &str, close: &[char]) -> Option<usize> {
    for (place, character) in rest.char_indices() {
        if place > LONGEST_QUOTE {
            return None;
        }
        let after = place + character.len_utf8();
        let next = rest[after..].chars().next();
        // An apostrophe inside a word ends nothing.
        let is_apostrophe =
            matches!(character, '\'' | '’') && next.is_some_and(char::is_alphanumeric);
        if place > 0 && close.contains(&character) && !is_apostrophe {
            return Some(after);
        }
    }
    None
}
