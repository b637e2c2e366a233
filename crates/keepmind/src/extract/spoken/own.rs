//! Which parts of a message are not the speaker's own speech: what the host marked, code, quotations,
//! letters and logs that were pasted. Too much rather than too little: what is left out teaches nothing.

use std::ops::Range;

use crate::message::Utterance;
use crate::order;
use crate::text::fold;

/// A quotation of at most so many words, without a word about somebody speaking, is a title or a nickname.
const LONGEST_TITLE: usize = 4;

/// The foreign parts of a content, in order, apart, and on character borders.
pub(super) fn foreign(utterance: &Utterance) -> Vec<Range<usize>> {
    let content = utterance.content.as_str();
    let mut parts: Vec<Range<usize>> = utterance
        .untrusted
        .iter()
        .map(|span| {
            let start = content.floor_char_boundary(span.start as usize);
            let end = content.ceil_char_boundary((span.end as usize).min(content.len()));
            start..end.max(start)
        })
        .collect();
    code(content, &mut parts);
    lines(content, &mut parts);
    quotations(content, &mut parts);
    parts.retain(|part| !part.is_empty());
    order::sort_by_key(&mut parts, |part| (part.start, part.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(parts.len());
    for part in parts {
        match apart.last_mut() {
            Some(before) if part.start <= before.end => before.end = before.end.max(part.end),
            _ => apart.push(part),
        }
    }
    apart
}

fn code(content: &str, parts: &mut Vec<Range<usize>>) {
    let mut from = 0;
    // Fences for which no end was found: nobody need look again.
    let mut unclosed = [false; 4];
    while let Some(start) = content[from..].find('`').map(|at| from + at) {
        let ticks = content[start..].bytes().take_while(|byte| *byte == b'`');
        let fence = ticks.take(3).count();
        let inside = start + fence;
        let end = Some(fence)
            .filter(|&fence| !unclosed[fence])
            .and_then(|_| content[inside..].find(&content[start..inside]))
            .map(|at| inside + at + fence);
        unclosed[fence] |= end.is_none();
        // An open fence takes the rest; a lone backtick nothing.
        let end = match end {
            Some(end) => end,
            None if fence >= 3 => content.len(),
            None => {
                from = inside;
                continue;
            }
        };
        parts.push(start..end);
        from = end;
    }
}

/// Quoted lines, logs of who said what, and letters from their greeting to their close.
fn lines(content: &str, parts: &mut Vec<Range<usize>>) {
    let mut spoken_lines: Vec<Range<usize>> = Vec::new();
    let mut letter: Option<usize> = None;
    let mut at = 0;
    for line in content.split_inclusive('\n') {
        let place = at..at + line.len();
        at = place.end;
        let text = line.trim();
        if text.starts_with('>') || text.starts_with('|') {
            parts.push(place);
            continue;
        }
        if names_a_speaker(text) {
            spoken_lines.push(place.clone());
        }
        let folded = fold(text);
        let greets = text.ends_with([',', '!'])
            && GREETINGS
                .iter()
                .any(|greeting| folded.starts_with(greeting))
            && content[place.end..].trim_start().len() > 1;
        if greets && letter.is_none() {
            letter = Some(place.start);
        }
        let closes = CLOSINGS
            .iter()
            .any(|closing| folded.starts_with(closing) && folded.len() < closing.len() + 24);
        if closes {
            parts.push(letter.take().unwrap_or(0)..content.len().min(place.end + 40));
        }
    }
    if let Some(start) = letter {
        parts.push(start..content.len());
    }
    if spoken_lines.len() > 1 {
        parts.append(&mut spoken_lines);
    }
    for part in parts.iter_mut() {
        part.end = content.ceil_char_boundary(part.end);
    }
}

/// "Anna: see you", "[10:14] Tom: hi", "customer: where is it".
fn names_a_speaker(line: &str) -> bool {
    let line = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map_or(line, |(_, rest)| rest.trim_start());
    let Some((name, said)) = line.split_once(':') else {
        return false;
    };
    let short = name.len() <= 24 && name.split_whitespace().count() <= 2;
    short && !name.is_empty() && said.starts_with(' ') && said.trim().len() > 1
}

const GREETINGS: &[&str] = &[
    "dear ",
    "to whom it may concern",
    "sehr geehrte",
    "liebe ",
    "lieber ",
    "estimad",
    "querid",
    "cher ",
    "chère ",
];

const CLOSINGS: &[&str] = &[
    "best regards",
    "kind regards",
    "regards,",
    "sincerely",
    "yours truly",
    "yours sincerely",
    "best wishes",
    "mit freundlichen",
    "viele grüsse",
    "liebe grüsse",
    "un saludo",
    "atentamente",
    "saludos,",
    "cordialement",
];

const PAIRS: &[(char, char)] = &[
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('«', '»'),
    ('»', '«'),
    ('「', '」'),
    ('『', '』'),
    ('‘', '’'),
    ('\'', '\''),
];

fn quotations(content: &str, parts: &mut Vec<Range<usize>>) {
    let mut from = 0;
    // Where no closing mark of a pair was found: nobody need look again.
    let mut unclosed = [false; PAIRS.len()];
    while let Some((start, mark)) = content[from..]
        .char_indices()
        .find(|(_, character)| PAIRS.iter().any(|pair| pair.0 == *character))
        .map(|(at, character)| (from + at, character))
    {
        let inside = start + mark.len_utf8();
        from = inside;
        let before = content[..start].chars().next_back();
        let after = content[inside..].chars().next();
        let opens = before.is_none_or(|before| !before.is_alphanumeric())
            && after.is_some_and(|after| !after.is_whitespace());
        if !opens {
            continue;
        }
        for (index, pair) in PAIRS.iter().enumerate() {
            if pair.0 != mark || unclosed[index] {
                continue;
            }
            let Some(end) = closing(content, inside, pair.1) else {
                unclosed[index] = true;
                // A single one is an apostrophe; any other quotes to the end.
                if !matches!(mark, '\'' | '‘' | '»') {
                    parts.push(start..content.len());
                    return;
                }
                continue;
            };
            if is_speech(&content[inside..end]) {
                parts.push(start..end + pair.1.len_utf8());
            }
            from = end + pair.1.len_utf8();
            break;
        }
    }
}

/// Where the closing mark stands: after something, and before nothing that goes on with it.
fn closing(content: &str, inside: usize, mark: char) -> Option<usize> {
    content[inside..]
        .match_indices(mark)
        .map(|(at, _)| inside + at)
        .find(|&at| {
            let after = content[at + mark.len_utf8()..].chars().next();
            let before = content[..at].chars().next_back();
            after.is_none_or(|after| !after.is_alphanumeric())
                && (mark != '\'' || before.is_some_and(|before| !before.is_whitespace()))
        })
}

fn is_speech(quoted: &str) -> bool {
    let folded = fold(quoted);
    let mut words = 0;
    for word in folded
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        words += 1;
        if words > LONGEST_TITLE || SPEAKERS.contains(&word) {
            return true;
        }
    }
    // Scripts without blanks.
    words > 0 && quoted.chars().count() > 40
        || !folded.is_ascii() && folded.contains(['我', '私', '僕'])
}

const SPEAKERS: &[&str] = &[
    "i", "im", "we", "my", "me", "you", "your", "ich", "mein", "meine", "wir", "du", "yo", "mi",
    "soy", "tu", "je", "j", "mon", "ma", "nous",
];
