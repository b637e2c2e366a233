//! Markdown from rows: the same rows give the same bytes, in the policy's order and then by number.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::markdown::escape::escape;
use crate::markdown::{FOR_MODEL, FORMAT, MarkdownFile, Part, Reader};
use crate::memory::{Authority, Layer, Source};
use crate::owner::{Owner, OwnerState};
use crate::policy::Policy;
use crate::row::MemoryRow;
use crate::timestamp::Timestamp;

/// How much of a structured value is shown.
const SHOWN_VALUE: usize = 200;

/// What is written: an owner's live rows, as they stood.
pub(crate) struct Shown<'a> {
    pub owner: &'a Owner,
    pub state: &'a OwnerState,
    pub policy: &'a Policy,
    /// When the last row expired that has not been ended since; nothing where all are ended.
    pub expired_by: Option<Timestamp>,
    pub reader: Reader,
    /// What is live and may be told, in order of number.
    pub rows: Vec<&'a MemoryRow>,
}

const INTRODUCTION: &str = "\
> One memory a line. Change its words, move it under another heading, or delete the line to have it forgotten.
> Write a new one as `- words` under a heading, or as `- [rule] words` if it must be respected.
> What stands in brackets, in comments and in quoted lines is not edited here.
";

/// All of it as one document.
pub(crate) fn document(shown: &Shown<'_>) -> String {
    let mut text = head(shown);
    for section in sections(shown) {
        section.write(&mut text);
    }
    text
}

/// All of it as a folder: a file for each section.
pub(crate) fn files(shown: &Shown<'_>) -> Vec<MarkdownFile> {
    let mut names = BTreeSet::new();
    let files = sections(shown).into_iter().map(|section| {
        let mut text = head(shown);
        section.write(&mut text);
        let name = unlike_others(&section.part.file_name(), &mut names);
        MarkdownFile::new(format!("{name}.md"), text)
    });
    files.collect()
}

fn head(shown: &Shown<'_>) -> String {
    let as_of = shown.state.last_stamp;
    let as_of = as_of.map_or_else(|| "never".to_owned(), |stamp| stamp.to_string());
    // Not the moment of writing: the same rows are to give the same bytes.
    let expired_by = shown
        .expired_by
        .map(|moment| format!("expired_by: {moment}\n"));
    let expired_by = expired_by.unwrap_or_default();
    // In a line that a copy cannot do without.
    let reader = match shown.reader {
        Reader::User => "",
        Reader::Model => FOR_MODEL,
    };
    format!(
        "---\nkeepmind: {FORMAT}{reader}\nowner: {}\nrevision: {}\nas_of: {as_of}\n{expired_by}---\n\n# Memory\n\n{INTRODUCTION}",
        json(shown.owner.as_str()),
        shown.state.revision.count,
    )
}

struct Written<'a> {
    part: Part,
    title: String,
    rows: Vec<&'a MemoryRow>,
}

/// What there is to show, in order: what can be written to also where it is empty, so that it can be.
fn sections<'a>(shown: &Shown<'a>) -> Vec<Written<'a>> {
    let mut rows: BTreeMap<Part, Vec<&MemoryRow>> = BTreeMap::new();
    for row in &shown.rows {
        rows.entry(Part::of(row)).or_default().push(row);
    }
    let mut sections = Vec::new();
    for category in shown.policy.writable_categories() {
        let part = Part::Category(category.name.clone());
        let rows = rows.remove(&part).unwrap_or_default();
        sections.push(Written {
            part,
            title: category.title.clone(),
            rows,
        });
    }
    // What the policy no longer has, and what is compiled.
    for (part, rows) in rows {
        let title = match &part {
            Part::Category(name) => name.clone(),
            Part::Compiled(Layer::Episode) => "Episodes (compiled)".to_owned(),
            Part::Compiled(_) => "Digests (compiled)".to_owned(),
        };
        sections.push(Written { part, title, rows });
    }
    sections
}

impl Written<'_> {
    fn write(&self, into: &mut String) {
        let tag = self.part.tag();
        let _ = write!(into, "\n## {} <!-- {tag} -->\n\n", escape(&self.title));
        for row in &self.rows {
            line(row, into);
        }
        if !self.rows.is_empty() {
            into.push('\n');
        }
        let _ = writeln!(into, "<!-- end {tag} -->");
    }
}

/// A memory, and what is quoted below it.
fn line(row: &MemoryRow, into: &mut String) {
    let memory = &row.body;
    let rule = match memory.claim.authority {
        Authority::Rule => " rule",
        Authority::Note => "",
    };
    let words = escape(&memory.claim.content);
    let details = details(row);
    let (number, version) = (memory.number, memory.version);
    let _ = writeln!(
        into,
        "- [{number} {version}{rule}] {words} <!-- {details} -->"
    );
    for line in quoted(row) {
        let shown = format!("  > {line}");
        let _ = writeln!(into, "{}", shown.trim_end());
    }
}

/// How a memory is known and what belongs to it: what is shown behind its words.
pub(crate) fn details(row: &MemoryRow) -> String {
    let claim = &row.body.claim;
    let mut parts = vec![source(claim.source).to_owned()];
    if let Some(confidence) = row.marks.confidence {
        parts.push(format!("{:.0} % sure", confidence * 100.0));
    }
    parts.push(format!("since {}", day(claim.valid_from)));
    parts.extend(
        claim
            .expires_at
            .map(|until| format!("until {}", day(until))),
    );
    parts.extend(
        claim
            .domain
            .as_ref()
            .map(|domain| format!("domain {}", name(domain))),
    );
    parts.extend(claim.key.as_ref().map(|key| format!("key {}", name(key))));
    // What a digest keeps of its lines may be of facts that are no longer so.
    let value = claim
        .value
        .as_ref()
        .filter(|_| claim.layer != Layer::Digest);
    parts.extend(value.map(|value| {
        let mut value = safe(&value.to_string());
        if let Some((end, _)) = value.char_indices().nth(SHOWN_VALUE) {
            value.truncate(end);
            value.push('…');
        }
        format!("value {value}")
    }));
    if !claim.tags.is_empty() {
        let tags: Vec<String> = claim.tags.iter().map(|tag| name(tag)).collect();
        parts.push(format!("tags {}", tags.join(", ")));
    }
    parts.extend(
        claim
            .summary
            .as_ref()
            .map(|short| format!("short {}", json(short))),
    );
    if claim.authorises_action {
        parts.push("may act for the user".to_owned());
    }
    parts.join("; ")
}

/// The long detail of a memory, line by line.
pub(crate) fn quoted(row: &MemoryRow) -> impl Iterator<Item = String> {
    let body = row.body.claim.body.as_deref().unwrap_or_default();
    body.lines().map(escape)
}

fn source(source: Source) -> &'static str {
    match source {
        Source::User => "said by the user",
        Source::Agent => "saved by the assistant",
        Source::Extracted => "read from a chat",
        Source::Derived => "derived",
        Source::Imported => "imported",
    }
}

fn day(moment: Timestamp) -> String {
    moment.to_string().chars().take(10).collect()
}

/// A name as it is where it can be nothing else, or quoted.
fn name(name: &str) -> String {
    match is_plain(name) {
        true => name.to_owned(),
        false => json(name),
    }
}

fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_plain)
}

fn json(text: &str) -> String {
    safe(&serde_json::Value::from(text).to_string())
}

/// JSON on one line that ends no comment and opens no tag.
fn safe(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        let hides = character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
        match character {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            _ if hides => {
                let _ = write!(safe, "\\u{:04x}", u32::from(character));
            }
            _ => safe.push(character),
        }
    }
    safe
}

impl Part {
    /// Where a row is shown.
    pub(crate) fn of(row: &MemoryRow) -> Self {
        match row.body.claim.layer {
            Layer::Fact => Part::Category(row.body.claim.category.clone()),
            layer => Part::Compiled(layer),
        }
    }

    /// What names it in a comment.
    pub(super) fn tag(&self) -> String {
        match self {
            Part::Category(category) => name(category),
            Part::Compiled(Layer::Episode) => EPISODES.to_owned(),
            Part::Compiled(_) => DIGESTS.to_owned(),
        }
    }

    /// What a tag names.
    pub(super) fn of_tag(tag: &str) -> Option<Self> {
        match tag {
            EPISODES => Some(Part::Compiled(Layer::Episode)),
            DIGESTS => Some(Part::Compiled(Layer::Digest)),
            plain if is_plain(plain) => Some(Part::Category(plain.to_owned())),
            quoted => serde_json::from_str(quoted).ok().map(Part::Category),
        }
    }

    fn file_name(&self) -> String {
        match self {
            Part::Compiled(Layer::Episode) => "compiled-episodes".to_owned(),
            Part::Compiled(_) => "compiled-digests".to_owned(),
            Part::Category(name) => {
                let letter = |letter: char| match letter.to_ascii_lowercase() {
                    letter if letter.is_ascii_alphanumeric() => letter,
                    _ => '_',
                };
                let name: String = name.chars().take(40).map(letter).collect();
                match is_reserved(&name) {
                    true => format!("category-{name}"),
                    false => name,
                }
            }
        }
    }
}

const EPISODES: &str = "compiled episodes";
const DIGESTS: &str = "compiled digests";

/// Whether a system takes such a name for a device, whatever its ending.
fn is_reserved(name: &str) -> bool {
    let port = name
        .strip_prefix("com")
        .or_else(|| name.strip_prefix("lpt"));
    let is_port = port.is_some_and(|number| number.len() == 1);
    is_port || matches!(name, "con" | "prn" | "aux" | "nul")
}

fn unlike_others(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut unlike = name.to_owned();
    let mut count = 1;
    while !taken.insert(unlike.clone()) {
        count += 1;
        unlike = format!("{name}-{count}");
    }
    unlike
}
