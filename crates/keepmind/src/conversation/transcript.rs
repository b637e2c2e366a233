//! A chat as a model is shown it: as data, between two lines with a mark that occurs nowhere in it, each
//! message begun by its number at the start of a line, where no line of a message can begin.

use super::borders::{self, fullest};
use super::spoken::{self, Stretch, readable_line, readable_passage};
use crate::message::{Message, MessageOrigin, Role};
use crate::model::TokenCounter;
use crate::text;

/// How much of a tool's answer, or of what the speaker handed on, is shown, in characters.
const LONGEST_FOREIGN: usize = 400;
/// How much of a message is shown where the whole transcript has no room.
const LONGEST_SAID: usize = 1_200;
/// Less than this of the last message is not worth asking about.
const LEAST_SAID: usize = 40;

/// Something that a model is shown before the transcript: what it is, and its lines.
pub(crate) type Section<'a> = (&'a str, &'a str);

/// The sections and as much of the transcript as fits into so many tokens: of a longer one, the middle is
/// left out. Where not even the sections fit there is nothing in it.
pub(crate) fn fenced(
    sections: &[Section<'_>],
    messages: &[Message],
    room: usize,
    tokens: &dyn TokenCounter,
) -> String {
    let whole = entries(messages, usize::MAX);
    let shown = whole.iter().map(String::as_str);
    let mark = mark(shown.chain(sections.iter().map(|(_, lines)| *lines)));
    let compose = |transcript: &str| fence(&mark, sections, transcript);
    let fits = |prompt: &String| tokens.count(prompt) <= room;

    Some(compose(&whole.join("\n")))
        .filter(fits)
        .or_else(|| {
            let cut = entries(messages, LONGEST_SAID);
            fullest(1..=cut.len(), |shown| {
                Some(compose(&without_middle(&cut, shown))).filter(fits)
            })
        })
        .or_else(|| {
            let last = messages
                .last()
                .and_then(|message| entry(message, LONGEST_SAID))?;
            fullest(LEAST_SAID..=last.chars().count(), |shown| {
                Some(compose(&middle_cut(&last, shown))).filter(fits)
            })
        })
        .unwrap_or_else(|| fence(&mark, &[], ""))
}

/// Messages as they are shown before a transcript, shortened.
pub(crate) fn plainly(messages: &[Message]) -> String {
    entries(messages, LONGEST_SAID).join("\n")
}

/// Messages that are shown whole.
pub(super) fn fenced_whole(entries: &[String]) -> String {
    let mark = mark(entries.iter().map(String::as_str));
    fence(&mark, &[], &entries.join("\n"))
}

/// Sections by themselves, where there is no transcript to ask about.
pub(crate) fn fenced_sections(sections: &[Section<'_>]) -> String {
    let mark = mark(sections.iter().map(|(_, lines)| *lines));
    format!("{}[data {mark} ends]\n", begun(&mark, sections))
}

fn fence(mark: &str, sections: &[Section<'_>], transcript: &str) -> String {
    let begun = begun(mark, sections);
    format!("{begun}Transcript:\n{transcript}\n[data {mark} ends]\n")
}

fn begun(mark: &str, sections: &[Section<'_>]) -> String {
    let mut prompt = format!("[data {mark} begins]\n");
    for (heading, lines) in sections {
        prompt.push_str(&format!("{heading}:\n{}\n", indented(lines)));
    }
    prompt
}

fn entries(messages: &[Message], longest: usize) -> Vec<String> {
    let shown = messages.iter();
    shown
        .filter_map(|message| entry(message, longest))
        .collect()
}

/// A passage as far as it fits, without its middle.
pub(crate) fn bounded(
    passage: &str,
    most_tokens: usize,
    tokens: &dyn TokenCounter,
) -> Option<String> {
    let passage = readable_passage(passage)?;
    fullest(LEAST_SAID..=passage.chars().count(), |most| {
        let short = middle_cut(&passage, most);
        (tokens.count(&short) <= most_tokens).then_some(short)
    })
}

/// A mark that none of it contains. Made from the content, so that the same is asked again for the same, and
/// nobody can write it beforehand: their writing it would change it.
fn mark<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> String {
    // FNV-1a: any spreading function does, since the mark is looked for afterwards.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in texts.clone().flat_map(str::bytes) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    loop {
        let mark = format!("{hash:016x}");
        let occurs = |text: &str| text.to_ascii_lowercase().contains(&mark);
        if !texts.clone().any(occurs) {
            return mark;
        }
        hash = hash.wrapping_add(1);
    }
}

/// A message as it stands in a transcript; nothing if it shows nothing.
pub(super) fn entry(message: &Message, longest: usize) -> Option<String> {
    let utterance = &message.utterance;
    let speaker = match (utterance.role, utterance.origin) {
        (Role::User, MessageOrigin::Prefill) => "user (filled in by the application)",
        (Role::User, _) => "user",
        (Role::Assistant, _) => "assistant",
        (Role::System, _) => "application",
        (Role::Tool, _) => "tool",
    };
    let parts: Vec<String> = spoken::stretches(utterance)
        .into_iter()
        .filter_map(|stretch| match stretch {
            Stretch::Own(words) if utterance.role == Role::Tool => foreign(words),
            Stretch::Own(words) => readable_passage(words).map(|words| middle_cut(&words, longest)),
            Stretch::Foreign(words) => Some(format!("(from elsewhere: {})", foreign(words)?)),
        })
        .collect();
    if parts.is_empty() {
        return None;
    }
    let number = message.number.get();
    Some(format!(
        "[{number}] {speaker}:\n{}",
        indented(&parts.join("\n"))
    ))
}

fn foreign(words: &str) -> Option<String> {
    readable_line(words).map(|line| borders::shortened(&line, LONGEST_FOREIGN))
}

/// Moved in by two blanks, so that no line of it begins where those of the transcript do.
fn indented(passage: &str) -> String {
    let lines: Vec<String> = passage.lines().map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// `text` with its middle left out, if it has more than `most` characters.
fn middle_cut(text: &str, most: usize) -> String {
    if text::limit(text, most).is_ok() {
        return text.to_owned();
    }
    let start = borders::head(text, most - most / 2);
    let end = borders::tail(text, most / 2);
    format!("{start} […] {end}")
}

/// The transcript with so many entries, the first third of them from its beginning, the rest from its end.
fn without_middle(entries: &[String], shown: usize) -> String {
    if shown >= entries.len() {
        return entries.join("\n");
    }
    let first = shown / 3;
    let last = entries.len() - (shown - first);
    let marker = format!("[… messages left out: {} …]", last - first);
    let mut lines: Vec<&str> = entries[..first].iter().map(String::as_str).collect();
    lines.push(&marker);
    lines.extend(entries[last..].iter().map(String::as_str));
    lines.join("\n")
}
